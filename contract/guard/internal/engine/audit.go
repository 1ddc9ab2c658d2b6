package engine

import (
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
)

// waives reports whether a clause that the call breaks is only audited. If so,
// it records the clause.
func (in *arrival) waives(clause string) bool {
	if !in.tool.AuditOnly[clause] {
		return false
	}
	in.log.Waive(clause)
	return true
}

const auditUnavailable = "the audit log cannot be written"

// writeIntent writes the intent of a call from high risk up durably to the
// audit log. If that fails, the call does not happen.
func writeIntent(a agreed) *answer.Answer {
	e := a.event(audit.Intent, facts.StageIntent)
	e.Decision = audit.Allow
	if err := a.engine.recorder.PutDurable(a.ctx, e); err != nil {
		return answer.Refuse(answer.Unavailable(auditUnavailable).Because(err).OrReplay())
	}
	return nil
}

// event returns an event with the fields that all events of a call share.
func (a *agreed) event(kind audit.Kind, stage string) audit.Event {
	d, p, log := a.doc, a.principal, a.log
	e := audit.Event{
		Time: time.Now(), Kind: kind, CallID: log.ID(),
		Tool: d.Name, AuditEvent: d.AuditEvent, Risk: d.Risk, Effect: d.Effect, Version: d.Version, ContractDigest: a.tool.Digest,
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !facts.IsPerson(*p),
		Stage: stage, AuditOnly: log.Waived(),
	}
	if d != &a.tool.Doc {
		e.Confirmation, e.Permissions = d.Confirmation.String(), slices.Clone(d.Permissions)
	}
	if key := a.keyOf(); !key.IsZero() {
		e.LookupKey = key.String()
	}
	if a.args != nil {
		e.ArgumentsDigest = a.engine.argumentsDigest(a.args.Canonical)
	}
	return e
}

// audit writes one event of the call. ran means that its handler was started.
// The result is nil if the call has none.
func (a *agreed) audit(kind audit.Kind, stage string, ran bool, result *exchange.Result) {
	e := a.event(kind, stage)
	e.Decision = audit.Deny
	if ran {
		e.Decision = audit.Allow
	}
	if a.log.WasPreviewed() {
		e.Decision = audit.DryRun
	}
	e.NotPersisted = a.log.IsNotPersisted()
	e.Duration = e.Time.Sub(a.start)
	e.Error = oplog.Text(a.tool.Tool, a.args, a.log.Cause())
	if result == nil {
		e.Status, e.Code = contract.StatusError.String(), facts.CodeUnknownTool
		if errors.Is(a.log.Err(), exchange.ErrRejectedState) {
			e.Code = facts.CodeRejectedState
		}
	} else {
		e.Status, e.Code = result.Outcome.Status.String(), result.Outcome.Code
		switch result.Outcome.Status { //nolint:exhaustive // other outcomes depend on whether the handler ran
		case contract.StatusReplayed:
			e.Decision = audit.Replay
		case contract.StatusAsked:
			e.Decision = audit.Ask
		case contract.StatusDryRun:
			e.Decision = audit.DryRun
		case contract.StatusCancelled:
			e.Code = facts.CodeCancelled
		}
		if result.Outcome.Code == contract.CodeConfirmationPending {
			e.Decision = audit.Ask
		}
		if result.Outcome.Class != 0 {
			e.Class = result.Outcome.Class.String()
		}
	}
	a.engine.recorder.Put(a.ctx, e)
}

// auditAsked writes the event that a person is being asked.
func (a *agreed) auditAsked(stage string, ran bool) {
	a.audit(audit.Asked, stage, ran, &exchange.Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
}

// argumentsDigest is keyed, so that small arguments cannot be guessed from a
// log without the key. The key is random for each guard, so digests of two
// guards cannot be compared.
func (g *Engine) argumentsDigest(canonical []byte) string {
	const scheme = "hmac-sha256:"
	code := g.digests.Sum(canonical)
	var text [len(scheme) + 2*len(code)]byte
	hex.Encode(text[copy(text[:], scheme):], code[:])
	return string(text[:])
}
