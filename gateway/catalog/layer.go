package catalog

import (
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A layer is a set of facts, each with its origin. A fact without an origin is
// not set. The document also has the side effects, because the class of
// reversibility follows from them.
type layer struct {
	doc    contract.Document
	origin map[string]string
}

func newLayer() *layer { return &layer{origin: map[string]string{}} }

func (l *layer) has(fact string) bool { return l.origin[fact] != "" }

// set records a fact's origin after its value was written to the document.
func (l *layer) set(fact string, from string) { l.origin[fact] = from }

// take copies a fact.
func (l *layer) take(fact string, from contract.Document, origin string) {
	kindOf(fact).copy(&l.doc, &from)
	l.set(fact, origin)
}

func (l *layer) clear(fact string) {
	kindOf(fact).copy(&l.doc, &contract.Document{})
	delete(l.origin, fact)
}

func (l *layer) clone() *layer {
	return &layer{doc: l.doc.Clone(), origin: maps.Clone(l.origin)}
}

// complete returns a copy of the facts with those that follow from others, and
// with the strictest value for each required fact that is not set.
func (l *layer) complete() *layer {
	c := l.clone()
	derive := func(fact, from string) {
		if !c.has(fact) {
			c.set(fact, c.origin[from])
		}
	}
	if !c.has(factEffect) {
		c.doc.Effect = risk.Destructive
		c.set(factEffect, fromGuess)
	}
	if c.has(factRisk) && !c.doc.Risk.AtLeast(c.doc.Effect.Floor()) {
		// A risk below the floor of the effect is not a contract.
		c.doc.Risk = c.doc.Effect.Floor()
		c.set(factRisk, c.origin[factEffect])
	}
	derive(factRisk, factEffect)
	if !c.has(factContentTrust) {
		c.set(factContentTrust, fromGuess)
	}
	// A gateway knows neither which arguments make the server ask nor whether
	// another server asks.
	if c.doc.Confirmation == contract.ConfirmationWhen || c.doc.Confirmation == contract.ConfirmationUpstream {
		c.doc.Confirmation = contract.ConfirmationAlways
	}
	effective := c.doc.Effective()
	c.doc.Risk, c.doc.ContentTrust = effective.Risk, effective.ContentTrust
	if c.doc.Reversibility != effective.Reversibility { // not published, or contradicted
		c.doc.Reversibility = effective.Reversibility
		c.set(factReversibility, c.origin[factEffect])
	}
	if c.doc.Confirmation = effective.Confirmation; mustAsk(c.doc) && c.doc.Confirmation != contract.ConfirmationAlways {
		c.doc.Confirmation = contract.ConfirmationAlways
		c.set(factConfirmation, c.origin[factRisk])
	}
	derive(factConfirmation, factRisk)
	c.doc.Autonomous = c.doc.Confirmation == contract.ConfirmationNever && c.doc.Risk != risk.Forbidden
	return c
}

// mustAsk reports whether a contract of this risk always asks a person.
func mustAsk(d contract.Document) bool {
	if d.Risk == risk.Restricted {
		return d.Effect.DefaultLevel().AtLeast(risk.Critical)
	}
	return d.Risk.AtLeast(risk.Critical)
}

// tighten takes the facts of other that are stricter than those of l. Of the
// idempotency, it takes only that a call may not be repeated. It takes a fact
// without an order only if l does not have it.
func (l *layer) tighten(other *layer) {
	for _, kind := range factKinds {
		if !other.has(kind.name) {
			continue
		}
		switch {
		case kind.name == factPermissions:
			l.addPermissions(other)
		case kind.name == factIdempotency:
			if isRepeatable(l.doc) && !isRepeatable(other.doc) {
				l.take(kind.name, other.doc, other.origin[kind.name])
			}
		case !kind.remembered:
			if !l.has(kind.name) {
				l.take(kind.name, other.doc, other.origin[kind.name])
			}
		default:
			changed := l.clone()
			changed.take(kind.name, other.doc, other.origin[kind.name])
			old := l.complete().doc
			now := changed.complete().doc
			if weakerFacts(now, old)[kind.name] && !weakerFacts(old, now)[kind.name] {
				l.take(kind.name, other.doc, other.origin[kind.name])
			}
		}
	}
}

func (l *layer) addPermissions(other *layer) {
	for _, p := range other.doc.Permissions {
		if !slices.Contains(l.doc.Permissions, p) {
			l.doc.Permissions = append(slices.Clone(l.doc.Permissions), p)
			l.set(factPermissions, other.origin[factPermissions])
		}
	}
}
