package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// failures compares the lists of failures by their codes. What the guard adds
// and takes away by itself is one change, for it follows from other clauses.
func (d *differ) failures() {
	const pointer = "/failureModes"
	old, now := d.old.FailureModes, d.now.FailureModes
	if slices.Equal(old, now) {
		return
	}
	count := len(d.changes)
	partner := matchLists(old, now, func(a, b contract.FailureMode) bool { return a.Code == b.Code })
	matched := make([]bool, len(now))
	var goneByGuard, newByGuard []string
	for i, j := range partner {
		switch {
		case j >= 0:
			matched[j] = true
			if d.failure(jsonptr.AppendIndex(pointer, j), old[i], now[j]) {
				goneByGuard, newByGuard = append(goneByGuard, old[i].Code), append(newByGuard, now[j].Code)
			}
		case old[i].By == contract.ByGuard:
			goneByGuard = append(goneByGuard, old[i].Code)
		default:
			d.add("failure.removed", jsonptr.AppendIndex(pointer, i), old[i], nil)
		}
	}
	for j, mode := range now {
		switch {
		case matched[j]:
		case mode.By == contract.ByGuard:
			newByGuard = append(newByGuard, mode.Code)
		default:
			d.add("failure.added", jsonptr.AppendIndex(pointer, j), nil, mode)
		}
	}
	if len(goneByGuard)+len(newByGuard) > 0 {
		d.add("failures.guard", pointer, listOrNothing(goneByGuard), listOrNothing(newByGuard))
	}
	if len(d.changes) == count {
		d.add("order.changed", pointer, nil, nil)
	}
}

// failure compares two lines of one code. It reports whether only the words of
// a line of the guard changed: those are not the author's.
func (d *differ) failure(pointer string, old, now contract.FailureMode) (guardsWords bool) {
	switch {
	case old.Class == now.Class:
	case now.Class == contract.ClassRetryable:
		d.add("failure.nowRetryable", pointer+"/class", old.Class, now.Class)
	default:
		d.add("failure.nowFatal", pointer+"/class", old.Class, now.Class)
	}
	switch {
	case old.EffectPossible == now.EffectPossible:
	case now.EffectPossible:
		d.add("failure.effectPossible", pointer+"/effectPossible", false, true)
	default:
		d.add("failure.effectImpossible", pointer+"/effectPossible", true, false)
	}
	if old.By != now.By {
		d.add("failure.by", pointer+"/by", orNothing(old.By), orNothing(now.By))
	}
	if old.Description == now.Description {
		return false
	}
	if old.By == contract.ByGuard && now.By == contract.ByGuard {
		return true
	}
	d.text("failure.text", pointer+"/description", old.Description, now.Description)
	return false
}
