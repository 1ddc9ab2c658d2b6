package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/risk"
)

const declaredSideEffects declaration[[]SideEffect] = "sideEffects"

const (
	ruleSideEffectsReadOnly    = "sideEffects.readOnly"
	ruleSideEffectsDescription = "sideEffects.description"
	ruleSideEffectsUnknown     = "sideEffects.unknown"
)

func sideEffectsClause() clause {
	return clause{
		// Declared by verbs and by fields of type SideEffectTag. The class of
		// reversibility follows from them.
		members: []string{"sideEffects", "reversibility"},
		base:    func(b *Base, l *layer) { listFromBase(l, declaredSideEffects, b.SideEffects) },
		check:   checkSideEffects,
		texts: func(c *checker) {
			for i, s := range c.doc.SideEffects {
				where := fmt.Sprintf("sideEffects/%d/", i)
				c.text(where+"description", s.Description)
				c.text(where+"onRepeat", s.OnRepeat)
				c.text(where+"affects", s.Affects)
			}
		},
		effective: func(d *Document) {
			d.Reversibility = d.effectiveReversibility()
			d.SideEffects = slices.Clone(d.effectiveSideEffects())
			for i, s := range d.SideEffects {
				d.SideEffects[i] = s.in(d.Reversibility)
			}
		},
		rules: []BuildRule{
			{ID: ruleSideEffectsReadOnly, Summary: "A read-only tool has no side effects."},
			{ID: ruleSideEffectsDescription, Summary: "A side effect has a description."},
			{ID: ruleSideEffectsUnknown, Summary: "Reach and undo are among their values."},
		},
	}
}

// sideEffectKeys returns the keys of a SideEffectTag field.
func sideEffectKeys() map[string]func(*SideEffect, *tagReader) {
	return map[string]func(*SideEffect, *tagReader){
		"description": func(s *SideEffect, r *tagReader) { s.Description = r.value },
		"reach":       func(s *SideEffect, r *tagReader) { r.enum(&s.Reach) },
		"undo":        func(s *SideEffect, r *tagReader) { r.enum(&s.Undo) },
		"onRepeat":    func(s *SideEffect, r *tagReader) { s.OnRepeat = r.value },
		"affects":     func(s *SideEffect, r *tagReader) { s.Affects = r.value },
	}
}

// SideEffects adds changes outside the return value. A write that declares none
// counts as having one that is external and irreversible.
func (b *Builder[In, Out]) SideEffects(effects ...SideEffect) *Builder[In, Out] {
	add(declaredSideEffects, &b.verbs, effects)
	return b
}

func checkSideEffects(c *checker) {
	c.doc.SideEffects = declaredSideEffects.of(&c.layer)
	if c.doc.Effect == risk.ReadOnly && len(c.doc.SideEffects) > 0 {
		c.bad(ruleSideEffectsReadOnly, "sideEffects", "effect read-only contradicts a declared side effect",
			"remove it, or declare a write")
	}
	for i, s := range c.doc.SideEffects {
		where := fmt.Sprintf("sideEffects/%d", i)
		if strings.TrimSpace(s.Description) == "" {
			c.bad(ruleSideEffectsDescription, where, "the side effect has no description", "say what changes")
		}
		if s.Reach != 0 && !reaches.IsValid(s.Reach) || s.Undo != 0 && !undos.IsValid(s.Undo) {
			c.bad(ruleSideEffectsUnknown, where, "reach or undo is unknown", "use the package's constants")
		}
	}
	c.doc.Reversibility = c.doc.reversibility(risk.Irreversible)
}

// effectiveSideEffects returns the side effects of d. A write that declares
// none counts as having one that is external and irreversible.
func (d Document) effectiveSideEffects() []SideEffect {
	if len(d.SideEffects) == 0 && d.Effect != risk.ReadOnly {
		return []SideEffect{{}}
	}
	return d.SideEffects
}
