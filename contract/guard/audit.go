package guard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// writesIntent reports whether a call must be in the audit log before it
// happens.
func (t *protectedTool) writesIntent() bool { return t.doc.Risk.AtLeast(risk.High) }

// writeIntent writes the intent of a call from high risk up durably to the
// audit log. If that fails, the call does not happen.
func writeIntent(u understood, e audit.Event) *answer {
	if !u.doc.Risk.AtLeast(risk.High) {
		return nil
	}
	e.Decision = audit.Allow
	if err := u.guard.recorder.PutDurable(e); err != nil {
		return refuse(refusal.Unavailable("the audit log cannot be written").Because(err).OrReplay())
	}
	return nil
}

// audit writes one event of the call. The result is nil if the call has none.
func (c *call) audit(kind audit.Kind, stage string, result *Result) {
	e := c.event(kind, stage)
	e.Decision = audit.Deny
	if c.execution.ran {
		e.Decision = audit.Allow
	}
	if c.log.tried {
		e.Decision = audit.DryRun
	}
	e.NotPersisted = c.log.notPersisted
	e.Duration = time.Since(c.start)
	e.Error = logText(c.tool, c.args, c.log.cause)
	if result == nil {
		e.Status, e.Code = contract.StatusError.String(), CodeUnknownTool
		if errors.Is(c.log.err, ErrRejectedState) {
			e.Code = CodeRejectedState
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
		}
		if result.Outcome.Code == contract.CodeConfirmationPending {
			e.Decision = audit.Ask
		}
		if !result.Outcome.Class.IsZero() {
			e.Class = result.Outcome.Class.String()
		}
	}
	c.guard.recorder.Put(e)
}

// argumentsDigest is keyed, so that small arguments cannot be guessed from a
// log without the key. The key is random for each guard, so digests of two
// guards cannot be compared.
func (g *Guard) argumentsDigest(canonical []byte) string {
	mac := hmac.New(sha256.New, g.digestKey)
	mac.Write(canonical)
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// logText prepares the text of an error for the log: without the values of
// sensitive and secret arguments, sanitized, at most 1 KiB. The arguments are
// nil before they were read.
func logText(t *protectedTool, args *bound.Arguments, err error) string {
	if err == nil {
		return ""
	}
	plain := err.Error()
	if args != nil {
		plain = text.Redact(plain, t.bound.Hidden(args.Tree))
	}
	plain, _ = trust.Sanitize(text.Cut(plain, text.MaxNote))
	return text.Cut(plain, text.MaxNote)
}
