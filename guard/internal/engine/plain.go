package engine

import (
	"fmt"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// This file has what is different about a call of a tool without a contract:
// its result is the SDK's own, and what does not fit its schemas is reported.

// anonymousCallers is the issuer of the names that an adapter gives to anonymous
// callers. No principal has it.
const anonymousCallers = "\x00anonymous"

// callerName names the caller for the limit of its running calls.
func (c *call) callerName() string {
	if p := c.principal; !p.IsAnonymous() {
		n := facts.NameOf(*p)
		return n.Issuer + "\x00" + n.Tenant + "\x00" + n.Subject
	}
	return anonymousCallers + c.request.Caller
}

// reportMisfits reports what a schema would refuse: in the audit log, and once
// for each tool in the operator's log.
func (c *call) reportMisfits(clause, message string, misfits []schema.Violation) {
	if len(misfits) == 0 || !c.journal.Waives(clause) || !c.engine.lines.IsFirst(c.doc.Name, clause) {
		return
	}
	c.engine.lines.Logger().LogAttrs(c.ctx, slog.LevelWarn, "toolcontract: "+message+", which is only reported",
		slog.String("tool", c.doc.Name), slog.String("callId", c.journal.ID()), slog.String("pointer", misfits[0].Pointer),
		slog.String("rule", misfits[0].Rule), slog.Int("violations", len(misfits)))
}

// checkPassed hands on the SDK's own result. Only its size is always checked.
func (c *call) checkPassed(v *facts.View) *answer.Ending {
	passed, ok := c.execution.Out.(*exchange.Passed)
	if !ok || c.execution.Kind != running.Returned {
		a := c.engine.checker.Check(c.ctx, v, &c.execution.Ended)
		if a.Refusal != nil && a.Refusal.Code == contract.CodeInternalError { // the masked error may have said so
			a.Refusal.Violations = violations(c.args.Misfits)
		}
		return a
	}
	if tooLarge := results.CheckPassed(c.tool, passed); tooLarge != nil {
		return answer.Refuse(tooLarge)
	}
	if !passed.IsError && passed.Structured != nil {
		misfits := c.tool.Plain.CheckOutput(passed.Structured)
		if c.tool.Plain.Strict && len(misfits) > 0 {
			return answer.Refuse(answer.NewRefusal(contract.CodeOutputInvalid, "").Because(
				fmt.Errorf("guard: %s of the structured content breaks %s", misfits[0].Pointer, misfits[0].Rule)))
		}
		c.reportMisfits(facts.ClauseOutput, "a result does not fit the output schema", misfits)
	}
	return answer.Of(&exchange.Result{Passed: passed, IsError: passed.IsError, Outcome: c.passedOutcome(passed)})
}

// passedOutcome returns the outcome of the SDK's own answer. A failed call is
// worth a retry only if the author says that the tool changes nothing.
func (c *call) passedOutcome(passed *exchange.Passed) contract.Outcome {
	failed := func(code string, class contract.Class) contract.Outcome {
		return contract.Outcome{Status: contract.StatusError, Code: code, Class: class}
	}
	switch {
	case passed.Err != nil:
		return failed(facts.CodeProtocolError, contract.ClassFatal)
	case passed.Asks:
		return contract.Outcome{Status: contract.StatusAsked}
	case passed.IsError && c.tool.Plain.ReadOnly:
		return failed(contract.CodeToolRetry, contract.ClassRetryable)
	case passed.IsError:
		return failed(contract.CodeToolFatal, contract.ClassFatal)
	}
	return contract.Outcome{Status: contract.StatusOK}
}
