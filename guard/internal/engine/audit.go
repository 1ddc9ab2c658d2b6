package engine

import (
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/store"
)

// writeIntent writes the intent of a call durably to the audit log.
func (c *call) writeIntent() error {
	e := c.event(audit.Intent, facts.StageIntent, c.recordKey())
	e.Decision = audit.Allow
	e.OperationID = c.operation()
	return c.engine.recorder.PutDurable(c.ctx, e)
}

// recordKey returns the key under which the call is recorded, or the zero key
// if it is not.
func (c *call) recordKey() store.Key {
	if c.extras == nil {
		return store.Key{}
	}
	e := c.entry()
	return e.ID()
}

// event returns an event with the fields that all events of a call share.
func (c *call) event(kind audit.Kind, stage string, key store.Key) audit.Event {
	d, p := c.doc, c.principal
	e := audit.Event{
		Time: time.Now(), Kind: kind, CallID: c.journal.ID(),
		Tool: d.Name, AuditEvent: d.AuditEvent, Risk: d.Risk, Effect: d.Effect, Version: d.Version, ContractDigest: c.tool.Digest(),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !facts.IsPerson(*p),
		Stage: stage, AuditOnly: c.journal.Waived(),
	}
	if d != &c.tool.Doc {
		e.Confirmation = d.Confirmation.String()
		e.Permissions = slices.Clone(d.Permissions)
	}
	if c.isBound() {
		e.Confirmation = contract.ConfirmationAlways.String()
	}
	if !key.IsZero() {
		e.LookupKey = key.String()
	}
	if c.args != nil {
		e.ArgumentsDigest = c.engine.argumentsDigest(c.args.Canonical)
	}
	return e
}

// audit writes one event of the call. The result is nil if the call has none.
func (c *call) audit(kind audit.Kind, stage string, result *exchange.Result) {
	e := c.event(kind, stage, c.recordKey())
	c.describe(&e, result)
	c.engine.recorder.Put(c.ctx, e)
}

// auditAsked writes the event that a person is being asked.
func (c *call) auditAsked(stage string, key store.Key) {
	e := c.event(audit.Asked, stage, key)
	c.describe(&e, &exchange.Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	c.engine.recorder.Put(c.ctx, e)
}

// describe sets the fields of an event about a result.
func (c *call) describe(e *audit.Event, result *exchange.Result) {
	e.Decision = audit.Deny
	if c.execution.Ran {
		e.Decision = audit.Allow
	}
	if c.journal.WasPreviewed() {
		e.Decision = audit.DryRun
	}
	e.NotPersisted = c.journal.IsNotPersisted()
	e.Duration = e.Time.Sub(c.start)
	e.Error = operatorlog.Text(c.tool, c.args, c.journal.Cause())
	if result == nil {
		e.Status = contract.StatusError.String()
		e.Code = facts.CodeUnknownTool
		if errors.Is(c.journal.Err(), exchange.ErrRejectedState) {
			e.Code = facts.CodeRejectedState
		}
		return
	}
	o := &result.Outcome
	e.OperationID = o.OperationID
	e.Status = o.Status.String()
	e.Code = o.Code
	e.Removed = results.Logged(c.tool, o.Removed)
	switch o.Status { //nolint:exhaustive // other outcomes depend on whether the handler ran
	case contract.StatusReplayed:
		e.Decision = audit.Replay
	case contract.StatusAsked:
		e.Decision = audit.Ask
	case contract.StatusDryRun:
		e.Decision = audit.DryRun
	case contract.StatusCancelled:
		e.Code = facts.CodeCancelled
	}
	if o.Code == contract.CodeConfirmationPending {
		e.Decision = audit.Ask
	}
	if o.Class != 0 {
		e.Class = o.Class.String()
	}
}

// writeEnd writes the terminal event, or a late one if the guard closed while
// the handler was running and has written it.
func (c *call) writeEnd(result *exchange.Result) *exchange.Result {
	stage := c.journal.Stage()
	switch {
	case c.journal.HasAsked() || result != nil && result.Outcome.Status == contract.StatusAsked:
		c.auditAsked(stage, c.recordKey())
	case c.terminal.CompareAndSwap(false, true):
		c.audit(audit.Terminal, stage, result)
	default:
		c.audit(audit.Late, stage, result)
	}
	return result
}

// EndLate records how a handler ended after its caller had been answered.
func (c *call) EndLate(ended running.Ended) {
	c.answered.Wait()
	if c.isAtomic() && ended.Kind == running.Returned { // what it wrote was undone
		ended = running.Timeout()
	}
	late := c.snapshot()
	late.execution = running.Execution{Ran: true, Late: true, Ended: ended}
	result := late.runContained((*call).checkResult)
	late.recordEnd(result)
	late.audit(audit.Late, facts.StageRun, result)
}

// Abandon writes the terminal event of a call whose handler is still running on
// its caller's goroutine while the guard closes.
func (c *call) Abandon() {
	if !c.terminal.CompareAndSwap(false, true) {
		return
	}
	if c.isAtomic() {
		c.atomic().GiveUp()
	}
	given := c.snapshot()
	given.journal.Blame(running.ErrGivenUp)
	given.audit(audit.Terminal, facts.StageRun, given.resultOf(results.GivenUp(given.doc).For(given.operation())))
}

// argumentsDigest is keyed, so that short arguments cannot be guessed from a
// log without the key. Each guard has a random key, so digests of two guards
// cannot be compared.
func (g *Engine) argumentsDigest(canonical []byte) string {
	const scheme = "hmac-sha256:"
	code := g.digests.Sum(canonical)
	var text [len(scheme) + 2*len(code)]byte
	hex.Encode(text[copy(text[:], scheme):], code[:])
	return string(text[:])
}
