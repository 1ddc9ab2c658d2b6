package contract

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// Effective returns a copy of d in which every clause that d leaves out has the
// value that it counts as: the risk and the confirmation that follow from the
// effect, the default sizes, the default retention, and so on. A clause with a
// value that this version does not know counts as left out.
//
// Use it to compare or list contracts by what they mean. Documents that Build
// makes declare most clauses; documents of other servers may not.
// [Document.NeedsPrincipal] and [Document.Hints] take d as it is written.
func (d Document) Effective() Document {
	d = d.Clone()
	if !d.Risk.IsValid() {
		d.Risk = d.Effect.DefaultLevel()
	}
	d.Effect = d.Effect.Effective()
	d.ContentTrust = d.ContentTrust.Effective()
	if !d.Confirmation.IsValid() {
		d.Confirmation = d.defaultConfirmation()
	}
	if len(d.DiscoverWith) == 0 {
		d.DiscoverWith = slices.Clone(d.Permissions)
	}
	d.SideEffects = slices.Clone(d.effectiveSideEffects())
	for i, s := range d.SideEffects {
		d.SideEffects[i].Reach, d.SideEffects[i].Undo = s.Reach.Effective(), s.Undo.Effective()
	}
	d.Idempotency = d.effectiveIdempotency()
	if !d.DryRun.IsValid() {
		d.DryRun = dryrun.None
	}
	d.AuditEvent = cmp.Or(d.AuditEvent, d.Name)
	d.MaxResultBytes = cmp.Or(d.MaxResultBytes, DefaultMaxResultBytes)
	d.MaxArgumentBytes = cmp.Or(d.MaxArgumentBytes, DefaultMaxArgumentBytes)
	return d
}

// defaultConfirmation returns the confirmation that follows from a risk that is
// declared.
func (d Document) defaultConfirmation() Confirmation {
	if d.confirmationBasis().AtLeast(risk.High) || d.SecurityLevel.NeedsVerification() && d.StepUp == nil {
		return ConfirmationAlways
	}
	return ConfirmationNever
}

// effectiveIdempotency returns the clause with the defaults that Build fills
// in. A missing clause counts as one of mode none.
func (d Document) effectiveIdempotency() *Idempotency {
	if !d.isIdempotent() {
		return &Idempotency{Mode: idempotency.None}
	}
	i := *d.Idempotency
	if i.Mode != idempotency.Managed {
		return &i
	}
	i.RetentionSeconds = cmp.Or(i.RetentionSeconds, int64(DefaultRetention/time.Second))
	if !i.OnUnknown.IsValid() {
		i.OnUnknown = idempotency.Rerun
		if d.Risk.AtLeast(risk.High) {
			i.OnUnknown = idempotency.Refuse
		}
	}
	return &i
}
