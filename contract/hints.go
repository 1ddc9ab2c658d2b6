package contract

import (
	"slices"

	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Hints are the four tool annotations of the Model Context Protocol
// (ToolAnnotations). They are derived from the contract, so they cannot
// contradict it, and all four are always written.
type Hints struct {
	ReadOnly    bool // readOnlyHint
	Destructive bool // destructiveHint
	Idempotent  bool // idempotentHint
	OpenWorld   bool // openWorldHint
}

// Hints derives the annotations: read-only from the effect; destructive from
// the effect or an irreversible side effect; idempotent from native or managed
// idempotency, or read-only; open world from an external side effect, an effect
// of publication or payment, content that may inject, or a call that sends
// data. Keyed idempotency does not make a tool idempotent, because a call
// without a key has its effect again.
func (d Document) Hints() Hints {
	readOnly := d.Effect == risk.ReadOnly
	h := Hints{
		ReadOnly:    readOnly,
		Destructive: d.Effect == risk.Destructive || d.Effect.IsZero(),
		Idempotent:  readOnly || d.isIdempotent(),
		OpenWorld: d.Effect == risk.ExternalPublication || d.Effect == risk.PaidOperation || d.Effect.IsZero() ||
			d.ContentTrust != trust.Trusted && d.ContentTrust != trust.Sensitive || d.Sends || slices.Contains(d.Reads, UntrustedData),
	}
	for _, s := range d.effectiveSideEffects() {
		h.Destructive = h.Destructive || s.Undo.Effective() == Irreversible
		h.OpenWorld = h.OpenWorld || s.Reach.Effective() == External
	}
	return h
}
