package clausediff

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func failureClauses() []clause {
	return []clause{
		// The lists of failures, by code. Lines that the guard adds or removes
		// are one change, because they follow from other clauses.
		(*differ).failures,
	}
}

func (d *differ) failures() {
	const pointer = "/failureModes"
	old, now := d.old.FailureModes, d.now.FailureModes
	if !slices.Equal(old, now) && !d.changesIn(func() { d.failurePairs(old, now) }) {
		d.add("order.changed", pointer, nil, nil)
	}
}

func (d *differ) failurePairs(old, now []contract.FailureMode) {
	const pointer = "/failureModes"
	var goneByGuard, newByGuard []string
	for _, p := range match(old, now, func(a, b contract.FailureMode) bool { return a.Code == b.Code }) {
		switch {
		case p.now < 0 && old[p.old].By == contract.ByGuard:
			goneByGuard = append(goneByGuard, old[p.old].Code)
		case p.now < 0:
			d.add("failure.removed", strictjson.PointerIndex(pointer, p.old), old[p.old], nil)
		case p.old < 0 && now[p.now].By == contract.ByGuard:
			newByGuard = append(newByGuard, now[p.now].Code)
		case p.old < 0:
			d.add("failure.added", strictjson.PointerIndex(pointer, p.now), nil, now[p.now])
		case d.failure(strictjson.PointerIndex(pointer, p.now), old[p.old], now[p.now]):
			goneByGuard = append(goneByGuard, old[p.old].Code)
			newByGuard = append(newByGuard, now[p.now].Code)
		}
	}
	if len(goneByGuard)+len(newByGuard) > 0 {
		d.add("failures.guard", pointer, orNil(goneByGuard), orNil(newByGuard))
	}
}

// failure compares two lines with the same code. It reports whether one of the
// guard's lines changed in a part that the tool author did not write: the
// description, or whether an effect is possible, which follows from the tool's
// effect.
func (d *differ) failure(pointer string, old, now contract.FailureMode) (byGuard bool) {
	guards := old.By == contract.ByGuard && now.By == contract.ByGuard
	switch {
	case old.Class == now.Class:
	case guards && now.Code == contract.CodeOutcomeUnknown && (d.old.Reconcile == nil) != (d.now.Reconcile == nil):
		// the class follows from that clause
	case now.Class == contract.ClassRetryable:
		d.add("failure.nowRetryable", pointer+"/class", old.Class, now.Class)
	default:
		d.add("failure.nowFatal", pointer+"/class", old.Class, now.Class)
	}
	switch {
	case old.EffectPossible == now.EffectPossible || guards:
	case now.EffectPossible:
		d.add("failure.effectPossible", pointer+"/effectPossible", false, true)
	default:
		d.add("failure.effectImpossible", pointer+"/effectPossible", true, false)
	}
	if old.By != now.By {
		d.add("failure.by", pointer+"/by", orNil(old.By), orNil(now.By))
	}
	if guards {
		return old.Description != now.Description || old.EffectPossible != now.EffectPossible
	}
	if old.Description == now.Description {
		return false
	}
	d.text("failure.text", pointer+"/description", old.Description, now.Description)
	return false
}
