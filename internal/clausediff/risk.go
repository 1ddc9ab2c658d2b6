package clausediff

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

func riskClauses() []clause {
	return []clause{
		func(d *differ) {
			order := cmp.Compare(d.now.effective.Effect, d.old.effective.Effect)
			d.ordered("/effect", d.old.Effect, d.now.Effect, order, "effect.graver", "effect.milder")
		},
		(*differ).risk, // which follows from the effect
		(*differ).sideEffects,
		(*differ).reversibility,
	}
}

func (d *differ) risk() {
	higher := "risk.raised"
	if d.now.effective.Risk == risk.Forbidden {
		higher = "risk.forbidden"
	}
	order := cmp.Compare(d.now.effective.Risk, d.old.effective.Risk)
	d.ordered("/risk", d.old.Risk, d.now.Risk, order, higher, "risk.lowered")
}

func (d *differ) sideEffects() {
	const pointer = "/sideEffects"
	old, now := d.old.SideEffects, d.now.SideEffects
	switch {
	case slices.Equal(old, now):
	case len(old) == 0 && d.old.Effect != risk.ReadOnly:
		d.add("sideEffects.declared", pointer, nil, now)
		d.declaredSideEffects(now)
	case len(now) == 0 && d.now.Effect != risk.ReadOnly:
		d.add("sideEffects.undeclared", pointer, old, nil)
	case !d.changesIn(func() { d.sideEffectPairs(old, now) }):
		d.add("order.changed", pointer, old, now)
	}
}

// declaredSideEffects compares now with what an empty list means for a write:
// an external and irreversible side effect.
func (d *differ) declaredSideEffects(now []contract.SideEffect) {
	if !slices.ContainsFunc(now, isExternal) {
		d.add("sideEffect.reachMilder", "/sideEffects", nil, now)
	}
	if !slices.ContainsFunc(now, isIrreversible) {
		d.add("sideEffect.undoMilder", "/sideEffects", nil, now)
	}
}

// sideEffectPairs compares two lists whose order does not matter. It matches
// equal side effects first, then those with the same description, then those
// that differ only in the description, then the rest in order.
func (d *differ) sideEffectPairs(old, now []contract.SideEffect) {
	const pointer = "/sideEffects"
	pairs := match(old, now,
		func(a, b contract.SideEffect) bool { return a == b },
		func(a, b contract.SideEffect) bool {
			return a.Description == b.Description && a.Reach == b.Reach && a.Undo == b.Undo
		},
		func(a, b contract.SideEffect) bool { return a.Description == b.Description },
		func(a, b contract.SideEffect) bool { a.Description = b.Description; return a == b },
		func(contract.SideEffect, contract.SideEffect) bool { return true })
	for _, p := range pairs {
		switch {
		case p.now < 0:
			d.add("sideEffect.removed", strictjson.PointerIndex(pointer, p.old), old[p.old], nil)
		case p.old < 0:
			d.add("sideEffect.added", strictjson.PointerIndex(pointer, p.now), nil, now[p.now])
		default:
			d.sideEffect(strictjson.PointerIndex(pointer, p.now), old[p.old], now[p.now])
		}
	}
}

func (d *differ) sideEffect(pointer string, old, now contract.SideEffect) {
	d.ordered(pointer+"/reach", old.Reach, now.Reach, compareBools(isExternal(old), isExternal(now)), "sideEffect.reachGraver",
		"sideEffect.reachMilder")
	d.ordered(pointer+"/undo", old.Undo, now.Undo, compareBools(isIrreversible(old), isIrreversible(now)),
		"sideEffect.undoGraver", "sideEffect.undoMilder")
	d.text("sideEffect.text", pointer+"/description", old.Description, now.Description)
	d.text("sideEffect.text", pointer+"/onRepeat", old.OnRepeat, now.OnRepeat)
	d.text("sideEffect.text", pointer+"/affects", old.Affects, now.Affects)
}

// reversibility compares how far the changes of a call can be undone. It does
// not report a class that follows from a changed effect or side effect.
func (d *differ) reversibility() {
	old, now := d.old.effective, d.now.effective
	class := func(s side, published risk.Reversibility) risk.Reversibility {
		s.Reversibility = published
		return s.Document.Effective().Reversibility
	}
	follows := class(d.now, old.Reversibility) == now.Reversibility
	order := cmp.Compare(now.Reversibility, old.Reversibility)
	if order < 0 {
		follows = class(d.now, 0) == now.Reversibility &&
			(now.Effect < old.Effect || class(d.old, now.Reversibility) == old.Reversibility)
	}
	if order != 0 && !follows {
		d.ordered("/reversibility", d.old.Reversibility, d.now.Reversibility, order, "reversibility.raised", "reversibility.lowered")
	}
}

func isExternal(s contract.SideEffect) bool { return s.Reach.Effective() == contract.External }

func isIrreversible(s contract.SideEffect) bool { return s.Undo.Effective() == contract.Irreversible }
