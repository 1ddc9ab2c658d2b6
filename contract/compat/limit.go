package compat

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/risk"
)

func (d *differ) limits() {
	old, now := &d.old, &d.now
	d.rateLimits()
	d.limit("/timeoutMs", old.TimeoutMs, now.TimeoutMs, "timeout.shorter", "timeout.longer")
	d.cancellable()
	d.limit("/maxConcurrent", int64(old.MaxConcurrent), int64(now.MaxConcurrent), "maxConcurrent.lower", "maxConcurrent.higher")
	d.size("/maxResultBytes", old.MaxResultBytes, now.MaxResultBytes, old.effective.MaxResultBytes, now.effective.MaxResultBytes, "maxResultBytes.smaller", "maxResultBytes.larger")
	d.size("/maxArgumentBytes", old.MaxArgumentBytes, now.MaxArgumentBytes, old.effective.MaxArgumentBytes, now.effective.MaxArgumentBytes, "maxArgumentBytes.smaller", "maxArgumentBytes.larger")
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
func (d *differ) size(pointer string, old, now, oldEffective, nowEffective int64, smaller, larger string) {
	from, to := orNothing(old), orNothing(now)
	switch cmp.Compare(nowEffective, oldEffective) {
	case -1:
		d.add(smaller, pointer, from, to)
	case 1:
		d.add(larger, pointer, from, to)
	default:
		d.stated(pointer, from, to, old == now)
	}
}

func (d *differ) rateLimits() {
	old, now := d.old.RateLimit, d.now.RateLimit
	switch {
	case old == nil && now == nil:
	case old == nil || now == nil:
		d.add("rateLimit.declared", "/rateLimit", old, now)
	default:
		d.rate("/rateLimit", old, now, "rateLimit.lower", "rateLimit.higher")
	}
	d.rate("/totalRateLimit", d.old.TotalRateLimit, d.now.TotalRateLimit, "totalRateLimit.lower", "totalRateLimit.higher")
}

// rate compares two rate limits of which nil is none.
func (d *differ) rate(pointer string, old, now *contract.RateLimit, lower, higher string) {
	switch {
	case old == nil && now == nil, old != nil && now != nil && *old == *now:
	case now == nil, old != nil && now.Admits(*old):
		d.add(higher, pointer, orNothing(old), orNothing(now))
	default:
		d.add(lower, pointer, orNothing(old), orNothing(now))
	}
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
