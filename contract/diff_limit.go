package contract

import (
	"bytes"
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/risk"
)

func (d *differ) limits() {
	old, now := &d.old, &d.now
	d.rateLimit()
	d.limit("/timeoutMs", old.TimeoutMs, now.TimeoutMs, "timeout.shorter", "timeout.longer")
	d.cancellable()
	d.limit("/maxConcurrent", int64(old.MaxConcurrent), int64(now.MaxConcurrent), "maxConcurrent.lower", "maxConcurrent.higher")
	d.size("/maxResultBytes", old.MaxResultBytes, now.MaxResultBytes, DefaultMaxResultBytes, "maxResultBytes.smaller", "maxResultBytes.larger")
	d.size("/maxArgumentBytes", old.MaxArgumentBytes, now.MaxArgumentBytes, DefaultMaxArgumentBytes, "maxArgumentBytes.smaller", "maxArgumentBytes.larger")
}

// limit compares two bounds of which zero is none.
func (d *differ) limit(pointer string, old, now int64, smaller, larger string) {
	switch {
	case old == now:
	case old == 0, now != 0 && now < old:
		d.add(smaller, pointer, orNothing(old), orNothing(now))
	default:
		d.add(larger, pointer, orNothing(old), orNothing(now))
	}
}

// size compares two bounds of which zero is the default.
func (d *differ) size(pointer string, old, now, standard int64, smaller, larger string) {
	from, to := orNothing(old), orNothing(now)
	switch cmp.Compare(cmp.Or(now, standard), cmp.Or(old, standard)) {
	case -1:
		d.add(smaller, pointer, from, to)
	case 1:
		d.add(larger, pointer, from, to)
	default:
		d.stated(pointer, from, to, old == now)
	}
}

func (d *differ) rateLimit() {
	const pointer = "/rateLimit"
	old, now := d.old.RateLimit, d.now.RateLimit
	switch {
	case old == nil && now == nil:
	case old == nil || now == nil:
		d.add("rateLimit.declared", pointer, old, now)
	case *old == *now:
	case now.admits(*old):
		d.add("rateLimit.higher", pointer, old, now)
	default:
		d.add("rateLimit.lower", pointer, old, now)
	}
}

// admits reports whether r lets through every run of calls that other does: in
// a window of r fit so many whole windows of other, the last one begun.
func (r RateLimit) admits(other RateLimit) bool {
	if r.PerSeconds <= 0 || other.PerSeconds <= 0 {
		return false
	}
	windows := new(big.Int).SetInt64((r.PerSeconds-1)/other.PerSeconds + 1)
	return windows.Mul(windows, big.NewInt(int64(other.Calls))).Cmp(big.NewInt(int64(r.Calls))) <= 0
}

func (d *differ) cancellable() {
	old, now := d.old.Cancellable, d.now.Cancellable
	switch {
	case old == now:
	case d.old.Effect == risk.ReadOnly && d.now.Effect == risk.ReadOnly:
		d.add("cancellable.ofRead", "/cancellable", old, now)
	default:
		d.add("cancellable.changed", "/cancellable", old, now)
	}
}

// unknownMembers compares what a later version wrote.
func (d *differ) unknownMembers() {
	names := map[string]bool{}
	for name := range d.old.Unknown {
		names[name] = true
	}
	for name := range d.now.Unknown {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		from, to := d.old.Unknown[name], d.now.Unknown[name]
		if !bytes.Equal(from, to) && !sameJSON(from, to) {
			d.add("member.unknown", jsonptr.Join(name), from, to)
		}
	}
}
