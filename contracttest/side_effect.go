package contracttest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

const (
	sideEffects   = "/sideEffects"
	effectRemoved = "sideEffect.removed"
	reachMilder   = "sideEffect.reachMilder"
	undoMilder    = "sideEffect.undoMilder"
)

// ofSideEffect returns r with the side effect identified by its description
// instead of its index, because the order of side effects means nothing. If
// several have the same description, it also has all of them as they are after
// the change.
func (r reason) ofSideEffect(change compat.Change, recorded, built compat.Snapshot) reason {
	now, _ := toolNamed(built, r.Tool)
	if r.Pointer == sideEffects { // the first declaration of all side effects
		r.To = evidenceOfEffects(now.SideEffects)
		return r
	}
	i, ok := sideEffectIndex(r.Pointer)
	var effect contract.SideEffect
	switch {
	case !ok:
		return r
	case r.Rule == effectRemoved:
		if json.Unmarshal(change.From, &effect) != nil {
			return r
		}
	case i < len(now.SideEffects):
		effect = now.SideEffects[i]
	}
	old, _ := toolNamed(recorded, append([]string{now.Name}, now.Aliases...)...)
	before := effectsDescribed(old, effect.Description)
	after := effectsDescribed(now, effect.Description)
	r.Pointer = sideEffects
	r.SideEffect = evidenceOf(effect.Description)
	if len(before) > 1 || len(after) > 1 {
		r.Among = evidenceOfEffects(after)
	}
	return r
}

// sideEffectInForce reports whether the side effects are still as weak as r
// records.
func (r reason) sideEffectInForce(d contract.Document) bool {
	if r.SideEffect == "" {
		return evidenceOfEffects(d.SideEffects) == r.To
	}
	var all []contract.SideEffect
	for _, e := range d.SideEffects {
		if evidenceOf(e.Description) == r.SideEffect {
			all = append(all, e)
		}
	}
	switch {
	case r.Among != "":
		return evidenceOfEffects(all) == r.Among
	case r.Rule == effectRemoved:
		return len(all) == 0
	default:
		return slices.ContainsFunc(all, r.isAsWeak)
	}
}

// isAsWeak reports whether a side effect has the reach or undo that the
// downgrade led to.
func (r reason) isAsWeak(e contract.SideEffect) bool {
	return r.Rule == reachMilder && evidenceOf(e.Reach.String()) == r.To ||
		r.Rule == undoMilder && evidenceOf(e.Undo.String()) == r.To
}

// sideEffectIndex returns the index in a pointer to, or into, a side effect.
func sideEffectIndex(pointer string) (int, bool) {
	below, ok := strings.CutPrefix(pointer, sideEffects+"/")
	token, _, _ := strings.Cut(below, "/")
	i, err := strconv.Atoi(token)
	return i, ok && err == nil && i >= 0
}

func effectsDescribed(d contract.Document, description string) []contract.SideEffect {
	return slices.DeleteFunc(slices.Clone(d.SideEffects), func(e contract.SideEffect) bool { return e.Description != description })
}

func evidenceOfEffect(e contract.SideEffect) evidence {
	data, err := json.Marshal(e)
	if err != nil {
		return ""
	}
	return evidenceIn(data)
}

// evidenceOfEffects returns the evidence of a list, which does not depend on
// its order.
func evidenceOfEffects(list []contract.SideEffect) evidence {
	sorted := append([]contract.SideEffect{}, list...) // never nil, which would be null
	slices.SortFunc(sorted, func(a, b contract.SideEffect) int {
		return cmp.Compare(evidenceOfEffect(a), evidenceOfEffect(b))
	})
	data, err := json.Marshal(sorted)
	if err != nil {
		return ""
	}
	return evidenceIn(data)
}

// toolNamed returns the contract with one of the names as its name or alias.
func toolNamed(s compat.Snapshot, names ...string) (contract.Document, bool) {
	for _, name := range names {
		for _, d := range s.Tools {
			if d.Name == name || slices.Contains(d.Aliases, name) {
				return d, true
			}
		}
	}
	return contract.Document{}, false
}
