package engine

import (
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// repeated is a call as its record sees it while it finds out what became of an
// earlier one.
type repeated call

var _ records.Repeated = (*repeated)(nil)

// Found returns the result of the call as if its handler had returned out.
func (r *repeated) Found(out any) records.End {
	c := (*call)(r).snapshot()
	c.execution = running.Execution{Ran: true, Ended: running.Ended{Out: out}}
	return records.End{Execution: c.execution, Result: c.runContained((*call).checkResult)}
}

// NoteFound writes the terminal event that the earlier call lacks.
func (r *repeated) NoteFound(o *contract.Outcome) {
	c := (*call)(r)
	e := c.event(audit.Found, c.journal.Stage(), c.key)
	e.Decision = audit.Replay
	e.OperationID = o.OperationID
	e.Status = o.Status.String()
	e.Code = o.Code
	if o.Class != 0 { // the result that was found breaks its schema, or is too large
		e.Class = o.Class.String()
	}
	c.engine.recorder.Put(c.ctx, e)
}

// Counted returns the count of the call's failures.
func (r *repeated) Counted() access.FailureCount { return (*call)(r).failureCount() }

// operation returns the name of the operation that the call has claimed, or ""
// if it has claimed none or the name is hidden.
func (c *call) operation() string {
	if c.extras == nil || c.extras.operation == nil {
		return ""
	}
	return c.extras.operation.Name
}

// name sets the ID of the operation in a result. The text for the model has it
// only if the outcome is not final, because otherwise nobody has to look it up.
func (c *call) name(result *exchange.Result, operation string) {
	if operation == "" || result.Outcome.OperationID != "" { // a replayed result has its own
		return
	}
	result.Outcome.OperationID = operation
	o := &result.Outcome
	open := o.Class == contract.ClassRetryable && c.tool.Mode(o.Code).EffectPossible
	switch o.Code {
	case contract.CodeOutcomeUnknown, contract.CodeKeyInProgress, contract.CodeTimeout, contract.CodeUnavailable,
		contract.CodeInternalError, contract.CodeToolFatal:
		open = true
	}
	if open {
		result.Text += "\nThe operationId is " + operation + "."
	}
}
