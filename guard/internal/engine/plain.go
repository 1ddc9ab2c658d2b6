package engine

import (
	"fmt"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// This file has what is different about a call of a tool without a contract:
// its result is the SDK's own, and what does not fit its schemas is reported.

// unlessPlain returns why the caller is not known, unless the tool has no
// contract: anyone may call such a tool.
func (c *call) unlessPlain(unknown error) error {
	if c.tool.Plain == nil {
		return unknown
	}
	c.journal.Note(unknown)
	return nil
}

// takePlain makes the function of the request the input of the handler, and
// reports arguments that do not fit.
func (c *call) takePlain(args *bound.Arguments) {
	if c.request.Run != nil {
		args.In = c.request.Run
		c.reportMisfits(facts.ClauseInput, "arguments do not fit the input schema", args.Misfits)
	}
}

// noteMisfits adds arguments that do not fit to the outcome.
func (c *call) noteMisfits(o *contract.Outcome) {
	if c.args != nil && len(c.args.Misfits) > 0 {
		o.Violations = violations(c.args.Misfits)
	}
}

// slots returns the slots for running calls: those of the tool, or those of the
// caller for all tools without a contract. Nil: there is no limit.
func (c *call) slots() chan struct{} {
	if c.tool.Plain == nil {
		return c.tool.Slots
	}
	return c.engine.callers.Slots(callerName(c.principal, c.request.Caller), c.tool.Plain.Concurrent)
}

// clock returns the clock of the time limit, or nil if the limit is a deadline.
func (c *call) clock() *running.Clock {
	if c.tool.Plain == nil {
		return nil
	}
	return &running.Clock{}
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
	passed, ok := c.execution.Out.(*bound.Passed)
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
func (c *call) passedOutcome(passed *bound.Passed) contract.Outcome {
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
