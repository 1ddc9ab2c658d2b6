package adapter

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// annotationsOf returns the annotations that a tool is listed with. w is nil
// for a tool that is not wrapped. A wrapped tool keeps its author's annotations
// unless a declared clause decides otherwise.
func annotationsOf(doc contract.Document, w *bound.Written) ToolAnnotations {
	h := doc.Hints()
	if w == nil {
		return annotations(doc.Title, h)
	}
	decisions := hintDecisions(doc, w.EffectGuessed)
	for _, hint := range []struct {
		listed  *bool
		written *bool
		decided bool
	}{
		{&h.ReadOnly, w.ReadOnly, decisions.effect},
		{&h.Destructive, w.Destructive, decisions.destructive},
		{&h.Idempotent, w.Idempotent, decisions.idempotent},
		{&h.OpenWorld, w.OpenWorld, decisions.openWorld},
	} {
		if hint.written != nil && !hint.decided {
			*hint.listed = *hint.written
		}
	}
	title := doc.Title
	if isWritten(doc.Title, w) {
		title = w.AnnotationsTitle
	}
	return annotations(title, h)
}

// titleOf returns the title that a tool is listed with.
func titleOf(doc contract.Document, w *bound.Written) string {
	if w != nil && isWritten(doc.Title, w) {
		return w.Title
	}
	return doc.Title
}

// isWritten reports whether a title comes from the tool and not from a rule.
func isWritten(title string, w *bound.Written) bool {
	written := Definition{Title: w.Title, Annotations: ToolAnnotations{Title: w.AnnotationsTitle}}
	return title == written.title()
}

func annotations(title string, h contract.Hints) ToolAnnotations {
	a := ToolAnnotations{Title: title}
	a.setHints(h)
	return a
}

// A hintDecision says which hints declared clauses decide.
type hintDecision struct{ effect, destructive, idempotent, openWorld bool }

func hintDecisions(doc contract.Document, effectGuessed bool) hintDecision {
	effect := doc.Effect != 0 && !effectGuessed
	reads := effect && doc.Effect == risk.ReadOnly
	reaches := effect && (doc.Effect == risk.ExternalPublication || doc.Effect == risk.PaidOperation)
	trusted := doc.ContentTrust == trust.Trusted || doc.ContentTrust == trust.Sensitive
	s := hintDecision{
		effect:      effect,
		destructive: reads || effect && doc.Effect == risk.Destructive,
		idempotent:  reads || doc.Idempotency != nil,
		openWorld: reaches || doc.Sends || slices.Contains(doc.Reads, contract.UntrustedData) || doc.ContentTrust.MayInject() &&
			doc.ContentTrust != 0 || reads && trusted,
	}
	for _, e := range doc.SideEffects {
		s.destructive = s.destructive || e.Undo != 0
		s.openWorld = s.openWorld || e.Reach == contract.External || e.Reach == contract.Internal && trusted
	}
	return s
}
