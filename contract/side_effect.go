package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/risk"
)

const declaredSideEffects declaration[[]SideEffect] = "sideEffects"

const (
	ruleSideEffectsReadOnly    = "sideEffects.readOnly"
	ruleSideEffectsDescription = "sideEffects.description"
	ruleSideEffectsUnknown     = "sideEffects.unknown"
)

// A SideEffect is one change of state outside a tool's return value.
type SideEffect struct {
	// Description is the change in words for people and models. Required.
	Description string `json:"description"`
	// Reach declares whether the change leaves the system. Undeclared counts as
	// [External].
	Reach Reach `json:"reach,omitzero"`
	// Undo declares whether the change can be undone. Undeclared counts as
	// [Irreversible].
	Undo Undo `json:"undo,omitzero"`
	// OnRepeat describes the effect of a second call with the same arguments.
	OnRepeat string `json:"onRepeat,omitempty"`
	// Affects names the people or things that the change affects.
	Affects string `json:"affects,omitempty"`
}

func sideEffectsClause() clause {
	return clause{
		members: []string{"sideEffects"}, // declared by verbs and by fields of type SideEffectTag
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
			d.SideEffects = slices.Clone(d.effectiveSideEffects())
			for i, s := range d.SideEffects {
				d.SideEffects[i].Reach = s.Reach.Effective()
				d.SideEffects[i].Undo = s.Undo.Effective()
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
}

// effectiveSideEffects returns the side effects of d. A write that declares
// none counts as having one that is external and irreversible.
func (d Document) effectiveSideEffects() []SideEffect {
	if len(d.SideEffects) == 0 && d.Effect != risk.ReadOnly {
		return []SideEffect{{}}
	}
	return d.SideEffects
}

// A Reach declares whether a side effect leaves the system. The zero value
// is undeclared and counts as [External].
type Reach uint8

const (
	// Internal effects stay within the system that serves the tool.
	Internal Reach = iota + 1
	// External effects reach people or systems outside it.
	External
)

var reaches = enum.Of[Reach]("contract", "reach", "", "internal", "external")

// Effective returns the reach that counts: r if it is declared, else External.
func (r Reach) Effective() Reach {
	if reaches.IsValid(r) {
		return r
	}
	return External
}

// String returns the wire text of r, "undeclared" for the zero value.
func (r Reach) String() string { return reaches.String(r) }

// MarshalText returns the wire text of r; undeclared is an error.
func (r Reach) MarshalText() ([]byte, error) { return reaches.Marshal(r) }

// UnmarshalText sets r from its wire text. Any other text is an error and
// leaves r unchanged.
func (r *Reach) UnmarshalText(text []byte) error { return reaches.Unmarshal(r, text) }

// An Undo declares whether a side effect can be undone. The zero value is
// undeclared and counts as [Irreversible].
type Undo uint8

const (
	// Reversible effects can be undone.
	Reversible Undo = iota + 1
	// Irreversible effects cannot.
	Irreversible
)

var undos = enum.Of[Undo]("contract", "undo", "", "reversible", "irreversible")

// Effective returns the value that counts: u if it is declared, else
// Irreversible.
func (u Undo) Effective() Undo {
	if undos.IsValid(u) {
		return u
	}
	return Irreversible
}

// String returns the wire text of u, "undeclared" for the zero value.
func (u Undo) String() string { return undos.String(u) }

// MarshalText returns the wire text of u; undeclared is an error.
func (u Undo) MarshalText() ([]byte, error) { return undos.Marshal(u) }

// UnmarshalText sets u from its wire text. Any other text is an error and
// leaves u unchanged.
func (u *Undo) UnmarshalText(text []byte) error { return undos.Unmarshal(u, text) }
