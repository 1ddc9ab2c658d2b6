package guard

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// writesIntent reports whether the log must have a call before it happens.
func writesIntent(e *entry) bool { return e.doc.Risk.AtLeast(risk.High) }

// intend writes the intent of a call from high up, durably, or the call does
// not happen.
func intend(c *call) *Result {
	if !c.doc.Risk.AtLeast(risk.High) {
		return nil
	}
	e := c.event(audit.Intent, stageIntent)
	e.Decision = audit.Allow
	if err := c.set.guard.recorder.PutDurable(e); err != nil {
		c.cause = err
		return c.unlessDone(c.refuseLater(contract.CodeUnavailable, "the audit log cannot be written", unavailableDelay))
	}
	return nil
}

// audit hands one event of the call over; result is nil for an unknown tool.
func (c *call) audit(kind audit.Kind, at string, result *Result) {
	g := c.set.guard
	if g.skipped[stageAudit] {
		return
	}
	e := c.event(kind, at)
	e.Decision = audit.Deny
	if c.ran {
		e.Decision = audit.Allow
	}
	if c.tried {
		e.Decision = audit.DryRun
	}
	e.NotPersisted = c.notPersisted
	e.Duration = time.Since(c.start)
	e.Error = c.errorText(c.cause)
	if result == nil {
		e.Status, e.Code = contract.StatusError.String(), CodeUnknownTool
		if c.rejected {
			e.Code = CodeRejectedState
		}
	} else {
		e.Status, e.Code = result.Outcome.Status.String(), result.Outcome.Code
		switch result.Outcome.Status { //nolint:exhaustive // the others are told apart by c.ran
		case contract.StatusReplayed:
			e.Decision = audit.Replay
		case contract.StatusAsked:
			e.Decision = audit.Ask
		case contract.StatusDryRun:
			e.Decision = audit.DryRun
		}
		if result.Outcome.Code == contract.CodeConfirmationPending {
			e.Decision = audit.Ask
		}
		if !result.Outcome.Class.IsZero() {
			e.Class = result.Outcome.Class.String()
		}
	}
	g.recorder.Put(e)
}

// event fills in what all events of a call have in common.
func (c *call) event(kind audit.Kind, at string) audit.Event {
	d := c.doc
	e := audit.Event{
		Time: time.Now(), Kind: kind, CallID: c.id,
		Tool: d.Name, AuditEvent: d.AuditEvent, Risk: d.Risk, Effect: d.Effect, Version: d.Version, ContractDigest: c.entry.tool.Digest(),
		Issuer: c.principal.Issuer, Tenant: c.principal.Tenant, Principal: c.principal.Subject, Agent: !c.principal.isPerson(),
		Stage: at, AuditOnly: slices.Clone(c.waived),
	}
	if c.doc != &c.entry.doc {
		e.Confirmation, e.Permissions = d.Confirmation.String(), slices.Clone(d.Permissions)
	}
	if !c.key.IsZero() {
		e.LookupKey = c.key.String()
	}
	if c.args != nil {
		e.ArgumentsDigest = c.set.guard.argumentsDigest(c.args.Canonical)
	}
	return e
}

// argumentsDigest is keyed, so that guessing small arguments from a log needs
// the key. The key is random: digests compare within the life of one guard.
func (g *Guard) argumentsDigest(canonical []byte) string {
	mac := hmac.New(sha256.New, g.digestKey)
	mac.Write(canonical)
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// maxErrorText bounds the texts of errors, and of what else an author says
// beside a result, in bytes.
const maxErrorText = 1 << 10

// errorText prepares the text of an error for the log: without the values of
// sensitive and secret arguments, sanitised, at most 1 KiB.
func (c *call) errorText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if c.args != nil {
		text = redact(text, c.entry.bound.Hidden(c.args.Tree))
	}
	text, _ = trust.Sanitize(cut(text, maxErrorText))
	return cut(text, maxErrorText)
}

// cut shortens s to at most n bytes, at the boundary of a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// CodeUnknownTool stands in the audit log for a call of a name that does not
// exist for the caller. No caller gets it: the protocol has its own answer.
const CodeUnknownTool = "unknown_tool"

// CodeRejectedState stands in the audit log for a call that came with a state
// which no question gave out for it; see [ErrRejectedState].
const CodeRejectedState = "rejected_state"

// CodeUnparsable stands in the audit log for a call whose parameters the
// transport could not read.
const CodeUnparsable = "unparsable"

// A Refusal is a call that a transport refused before it reached the guard.
type Refusal struct {
	// Tool is the name that was called, if it is known.
	Tool string
	// Code is [CodeUnknownTool] or [CodeUnparsable].
	Code string
}

// maxToolName bounds a name that a caller made up.
const maxToolName = 128

// Refused writes the terminal event of a call that never became one.
func (s *Toolset) Refused(ctx context.Context, r Refusal) {
	g := s.guard
	if g.skipped[stageAudit] {
		return
	}
	p, err := g.findPrincipal(ctx)
	if err != nil {
		p = Principal{}
	}
	name, _ := trust.Sanitize(r.Tool)
	g.recorder.Put(audit.Event{
		Time: time.Now(), Kind: audit.Terminal, CallID: rand.Text(), Tool: cut(name, maxToolName),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !p.isPerson(),
		Decision: audit.Deny, Stage: stageLookup, Status: contract.StatusError.String(), Code: r.Code,
	})
}
