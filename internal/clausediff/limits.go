package clausediff

import (
	"cmp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func limitClauses() []clause {
	return []clause{
		func(d *differ) {
			d.limit("/timeoutMs", d.old.Timeout.Milliseconds(), d.now.Timeout.Milliseconds(), "timeout.shorter", "timeout.longer")
		},
		func(d *differ) {
			d.limit("/maxConcurrent", int64(d.old.MaxConcurrent), int64(d.now.MaxConcurrent),
				"maxConcurrent.lower", "maxConcurrent.higher")
		},
		func(d *differ) {
			order := cmp.Compare(d.now.effective.MaxResultBytes, d.old.effective.MaxResultBytes)
			d.ordered("/maxResultBytes", d.old.MaxResultBytes, d.now.MaxResultBytes, order, "maxResultBytes.larger",
				"maxResultBytes.smaller")
		},
		func(d *differ) {
			order := cmp.Compare(d.now.effective.MaxArgumentBytes, d.old.effective.MaxArgumentBytes)
			d.ordered("/maxArgumentBytes", d.old.MaxArgumentBytes, d.now.MaxArgumentBytes, order, "maxArgumentBytes.larger",
				"maxArgumentBytes.smaller")
		},
		// The rate limit per caller. Without one the server's own limit
		// applies, which is not part of the contract.
		func(d *differ) {
			old, now := d.old.RateLimit, d.now.RateLimit
			if present(d, "/rateLimit", old, now, "rateLimit.declared", "rateLimit.undeclared") {
				d.rate("/rateLimit", old, now, "rateLimit.lower", "rateLimit.higher")
			}
		},
		// The rate limit for all callers together. Without one there is no
		// limit.
		func(d *differ) {
			d.rate("/totalRateLimit", d.old.TotalRateLimit, d.now.TotalRateLimit, "totalRateLimit.lower", "totalRateLimit.higher")
		},
		func(d *differ) {
			old, now := d.old.Cancellable, d.now.Cancellable
			switch {
			case old == now:
			case d.old.Effect == risk.ReadOnly && d.now.Effect == risk.ReadOnly:
				d.add("cancellable.ofRead", "/cancellable", old, now)
			default:
				d.add("cancellable.changed", "/cancellable", old, now)
			}
		},
	}
}

// rate compares two rate limits. Nil means no limit. A limit that allows more
// calls at once but fewer in the long run is both lower and higher.
func (d *differ) rate(pointer string, old, now *contract.RateLimit, lower, higher string) {
	admits := func(l, other *contract.RateLimit) bool { return l == nil || other != nil && l.Admits(*other) }
	if old == now || old != nil && now != nil && *old == *now {
		return
	}
	if !admits(now, old) {
		d.add(lower, pointer, orNil(old), orNil(now))
	}
	if !admits(old, now) {
		d.add(higher, pointer, orNil(old), orNil(now))
	}
}
