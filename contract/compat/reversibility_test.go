package compat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
)

// A class that follows from the effect and the side effects is not compared,
// because those are.
func TestDiff_ComparesTheClassThatDoesNotFollow(t *testing.T) {
	t.Parallel()
	inside := contract.SideEffect{Description: "A row.", Reach: contract.Internal, Undo: contract.Reversible}
	outside := contract.SideEffect{Description: "A row.", Reach: contract.External, Undo: contract.Reversible}
	bare := contract.SideEffect{Description: "A row."} // as in a summary
	type doc = contract.Document
	write := func(class risk.Reversibility, effect risk.Effect, list ...contract.SideEffect) doc {
		return doc{Reversibility: class, Effect: effect, SideEffects: list}
	}
	const low, destructive = risk.LowRiskWrite, risk.Destructive
	for name, c := range map[string]struct {
		old, now doc
		want     []string
	}{
		"equal": {write(risk.Reversible, low, inside), write(risk.Reversible, low, inside), nil},
		"an older document without the derived class": {
			write(0, low, inside), write(risk.Reversible, low, inside), nil},
		"a newer document of an older server": {write(risk.Reversible, low, inside), write(0, low, inside), nil},
		"a graver side effect": {write(risk.Reversible, low, inside), write(risk.ReversibleOutside, low, outside),
			[]string{"sideEffect.reachGraver"}},
		"a milder side effect": {write(risk.ReversibleOutside, low, outside), write(risk.Reversible, low, inside),
			[]string{"sideEffect.reachMilder"}},
		"a graver effect": {write(risk.Reversible, low, inside), write(risk.Irreversible, destructive, inside),
			[]string{"effect.graver", "risk.raised"}},
		"a milder effect": {write(risk.Irreversible, destructive, inside), write(risk.Reversible, low, inside),
			[]string{"effect.milder", "risk.lowered"}},
		"a summary with a graver effect": {write(risk.Reversible, low, bare), write(risk.Irreversible, destructive, bare),
			[]string{"effect.graver", "risk.raised"}},
		"a summary whose tool only reads now": {write(risk.Irreversible, low, bare), write(risk.Unchanging, risk.ReadOnly),
			[]string{"effect.milder", "risk.lowered", "sideEffect.removed"}},
		"a lower class beside a graver effect": {
			write(risk.Irreversible, low, inside), write(risk.Reversible, risk.HighRiskWrite, inside),
			[]string{"effect.graver", "risk.raised", "reversibility.lowered"},
		},
		"a higher class without cause": {write(risk.Reversible, low, inside), write(risk.Irreversible, low, inside),
			[]string{"reversibility.raised"}},
		"a higher class beside a graver effect": {
			write(risk.Reversible, low, inside), write(risk.Irreversible, risk.HighRiskWrite, inside),
			[]string{"effect.graver", "reversibility.raised", "risk.raised"},
		},
		"a lower class without cause": {write(risk.Irreversible, low, inside), write(risk.Reversible, low, inside),
			[]string{"reversibility.lowered"}},
		"a lower class in a summary": {write(risk.Irreversible, low, bare), write(risk.Reversible, low, bare),
			[]string{"reversibility.lowered"}},
		"a first class in a summary": {write(0, low, bare), write(risk.Reversible, low, bare),
			[]string{"reversibility.lowered"}},
		"a lower class than a milder effect has": {
			write(risk.Irreversible, destructive, bare), write(risk.Reversible, low, bare),
			[]string{"effect.milder", "reversibility.lowered", "risk.lowered"}},
		"a class that the side effects contradict": {
			write(risk.ReversibleOutside, low, outside), write(risk.Reversible, low, outside), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []string
			for _, change := range compat.DiffDocuments(c.old, c.now) {
				if change.Pointer != "/confirmation" {
					rules = append(rules, change.Rule)
				}
			}
			assert.ElementsMatch(t, c.want, rules)
		})
	}
}
