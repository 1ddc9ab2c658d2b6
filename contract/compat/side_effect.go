package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/risk"
)

// sideEffects compares the changes outside the return value. Their order means
// nothing: those that are equal are matched first, then those of one description,
// then those that were described in other words only, then the rest in order.
func (d *differ) sideEffects() {
	const pointer = "/sideEffects"
	old, now := d.old.SideEffects, d.now.SideEffects
	switch {
	case slices.Equal(old, now):
	case len(old) == 0 && d.old.Effect != risk.ReadOnly && len(now) > 0:
		d.add("sideEffects.declared", pointer, nil, now)
		d.declared(now)
	case len(now) == 0 && d.now.Effect != risk.ReadOnly && len(old) > 0:
		d.add("sideEffects.undeclared", pointer, old, nil)
	default:
		d.matchSideEffects(old, now)
	}
}

// declared compares a list with the one effect, external and irreversible, as
// which none counts on a write.
func (d *differ) declared(list []contract.SideEffect) {
	if !slices.ContainsFunc(list, isExternal) {
		d.add("sideEffect.reachMilder", "/sideEffects", nil, list)
	}
	if !slices.ContainsFunc(list, isIrreversible) {
		d.add("sideEffect.undoMilder", "/sideEffects", nil, list)
	}
}

func (d *differ) matchSideEffects(old, now []contract.SideEffect) {
	const pointer = "/sideEffects"
	partner := matchLists(old, now,
		func(a, b contract.SideEffect) bool { return a == b },
		func(a, b contract.SideEffect) bool {
			return a.Description == b.Description && a.Reach == b.Reach && a.Undo == b.Undo
		},
		func(a, b contract.SideEffect) bool { return a.Description == b.Description },
		func(a, b contract.SideEffect) bool { a.Description = b.Description; return a == b },
		func(contract.SideEffect, contract.SideEffect) bool { return true })
	count := len(d.changes)
	matched := make([]bool, len(now))
	for i, j := range partner {
		if j < 0 {
			d.add("sideEffect.removed", jsonptr.AppendIndex(pointer, i), old[i], nil)
			continue
		}
		matched[j] = true
		d.sideEffect(jsonptr.AppendIndex(pointer, j), old[i], now[j])
	}
	for j, effect := range now {
		if !matched[j] {
			d.add("sideEffect.added", jsonptr.AppendIndex(pointer, j), nil, effect)
		}
	}
	if len(d.changes) == count {
		d.add("order.changed", pointer, old, now)
	}
}

func isExternal(s contract.SideEffect) bool { return s.Reach.Effective() == contract.External }

func isIrreversible(s contract.SideEffect) bool { return s.Undo.Effective() == contract.Irreversible }

func (d *differ) sideEffect(pointer string, old, now contract.SideEffect) {
	reach, undo := pointer+"/reach", pointer+"/undo"
	switch from, to := orNothing(old.Reach), orNothing(now.Reach); {
	case isExternal(old) == isExternal(now):
		d.stated(reach, from, to, old.Reach == now.Reach)
	case isExternal(now):
		d.add("sideEffect.reachGraver", reach, from, to)
	default:
		d.add("sideEffect.reachMilder", reach, from, to)
	}
	switch from, to := orNothing(old.Undo), orNothing(now.Undo); {
	case isIrreversible(old) == isIrreversible(now):
		d.stated(undo, from, to, old.Undo == now.Undo)
	case isIrreversible(now):
		d.add("sideEffect.undoGraver", undo, from, to)
	default:
		d.add("sideEffect.undoMilder", undo, from, to)
	}
	d.text("sideEffect.text", pointer+"/description", old.Description, now.Description)
	d.text("sideEffect.text", pointer+"/onRepeat", old.OnRepeat, now.OnRepeat)
	d.text("sideEffect.text", pointer+"/affects", old.Affects, now.Affects)
}

// matchLists finds for each old item the index of its partner in new, -1 for
// none: first by the first of the likenesses, in order, then by the next.
func matchLists[T any](old, now []T, likenesses ...func(a, b T) bool) []int {
	partner := make([]int, len(old))
	for i := range partner {
		partner[i] = -1
	}
	taken := make([]bool, len(now))
	for _, alike := range likenesses {
		for i := range old {
			if partner[i] >= 0 {
				continue
			}
			for j := range now {
				if !taken[j] && alike(old[i], now[j]) {
					partner[i], taken[j] = j, true
					break
				}
			}
		}
	}
	return partner
}
