package contracttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// effect returns an external side effect.
func effect(description string) contract.SideEffect {
	return contract.SideEffect{Description: description, Reach: contract.External, Undo: contract.Irreversible}
}

func reversible(e contract.SideEffect) contract.SideEffect {
	e.Undo = contract.Reversible
	return e
}

func onRepeat(e contract.SideEffect, words string) contract.SideEffect {
	e.OnRepeat = words
	return e
}

func having(version string, effects ...contract.SideEffect) buildable {
	return write(base[noteIn, noteOut]("notes.write")).Version(version).SideEffects(effects...)
}

var (
	mailed  = effect("A mail is sent.")
	posted  = effect("A post is made.")
	printed = effect("A page is printed.")
)

// explained records a downgrade with a reason.
func (c checkout) explained(from, to buildable) {
	c.t.Helper()
	c.record(from)
	require.NotEmpty(c.t, c.golden(true, to))
	c.explain("Because.")
	c.record(to)
	require.NotEmpty(c.t, c.reasons())
}

func TestGolden_AReasonAboutASideEffectStaysWithIt(t *testing.T) {
	for name, c := range map[string]struct {
		from, to  buildable
		unchanged []buildable // where the reason stays in force
	}{
		"undo": {
			having("1.0.0", mailed, posted), having("1.1.0", reversible(mailed), posted),
			[]buildable{
				having("1.1.1", posted, reversible(mailed)),
				having("2.0.0", printed, posted, reversible(mailed)),
				having("2.0.1", onRepeat(printed, "Twice."), posted, onRepeat(reversible(mailed), "Twice.")),
			},
		},
		"one that is gone": {
			having("1.0.0", mailed, posted), having("1.1.0", posted),
			[]buildable{having("2.0.0", printed, posted), having("2.0.1", posted, printed)},
		},
		"a list that was declared": {
			having("1.0.0"), having("1.1.0", reversible(mailed), reversible(posted)),
			[]buildable{having("1.1.1", reversible(posted), reversible(mailed))},
		},
		"one of two with one description": {
			having("1.0.0", mailed, onRepeat(mailed, "Twice.")), having("1.1.0", reversible(mailed), onRepeat(mailed, "Twice.")),
			[]buildable{having("1.1.1", onRepeat(mailed, "Twice."), reversible(mailed))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newCheckout(t)
			o.explained(c.from, c.to)
			kept := o.reasons()
			for _, now := range c.unchanged {
				o.record(now)
				assert.Equal(t, kept, o.reasons())
			}
		})
	}
}

func TestGolden_AReasonAboutASideEffectCoversNoOther(t *testing.T) {
	for name, c := range map[string]struct{ from, to, other buildable }{
		"put in its place": {
			having("1.0.0", mailed, posted), having("1.1.0", reversible(mailed), posted),
			having("1.2.0", reversible(posted), reversible(mailed)),
		},
		"after it was gone": {
			having("1.0.0", mailed, posted), having("1.1.0", posted), having("2.0.0", reversible(posted), printed),
		},
		"with the same description": {
			having("1.0.0", mailed, onRepeat(mailed, "Twice.")), having("1.1.0", reversible(mailed), onRepeat(mailed, "Twice.")),
			having("1.2.0", reversible(mailed), onRepeat(reversible(mailed), "Twice.")),
		},
		"the same as it": {
			having("1.0.0", mailed, mailed), having("1.1.0", reversible(mailed), mailed), having("1.2.0", reversible(mailed),
				reversible(mailed)),
		},
		"the same as the one that is gone": {
			having("1.0.0", mailed, mailed, mailed), having("1.1.0", mailed, mailed), having("1.2.0", mailed),
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newCheckout(t)
			o.explained(c.from, c.to)
			lines := o.golden(true, c.other)
			require.NotEmpty(t, lines)
			assert.Contains(t, lines[0], "downgrade")
			assert.Contains(t, lines[0], "write the reason")
		})
	}
}

func TestGolden_AnotherOrderOfSideEffectsIsNoDowngrade(t *testing.T) {
	for name, c := range map[string]struct{ from, to buildable }{
		"alone": {having("1.0.0", reversible(mailed), posted), having("1.0.1", posted, reversible(mailed))},
		"with other words": {
			having("1.0.0", reversible(mailed), mailed), having("1.0.1", onRepeat(mailed, "Twice."), onRepeat(reversible(mailed),
				"Twice.")),
		},
		"with another description": {
			having("1.0.0", reversible(mailed), posted), having("1.0.1", effect("A posting is made."), reversible(mailed)),
		},
		"with other descriptions": {
			having("1.0.0", reversible(mailed), posted), having("1.0.1", effect("A posting is made."),
				reversible(effect("An email is sent."))),
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newCheckout(t)
			o.record(c.from)
			o.record(c.to)
			assert.Empty(t, o.reasons())
		})
	}
}

func TestGolden_AReasonIsRemovedWithTheDescriptionOfItsSideEffect(t *testing.T) {
	o := newCheckout(t)
	o.explained(having("1.0.0", mailed), having("1.1.0", reversible(mailed)))
	reworded := func(version string) buildable { return having(version, reversible(effect("An email is sent."))) }
	lines := o.golden(false, reworded("1.1.1"))
	assert.Contains(t, lines[len(lines)-1], `the reason for [sideEffect.undoMilder] at "A mail is sent."`)
	o.record(reworded("1.1.1"))
	assert.Empty(t, o.reasons(), "and another description needs none")
}
