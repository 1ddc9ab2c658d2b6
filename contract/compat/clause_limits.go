package compat

import (
	"cmp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func limitClauses() []clause {
	return []clause{
		{
			rules: []Kind{
				{ID: "timeout.shorter", Class: Breaking,
					Summary: "The handler has less time.",
					Reason:  "Calls that ended in time may time out."},
				{ID: "timeout.longer", Class: Additive,
					Summary: "The handler has more time.",
					Reason:  "Calls that ended in time still do."},
			},
			compare: func(d *differ) {
				limit(d, "/timeoutMs", d.old.Timeout.Milliseconds(), d.now.Timeout.Milliseconds(), "timeout.shorter", "timeout.longer")
			},
		},
		{
			rules: []Kind{
				{ID: "maxConcurrent.lower", Class: Breaking,
					Summary: "Fewer calls run at once.",
					Reason:  "Callers that ran at once may get unavailable."},
				{ID: "maxConcurrent.higher", Class: Additive,
					Summary: "More calls run at once.",
					Reason:  "Calls that ran at once still do."},
			},
			compare: func(d *differ) {
				limit(d, "/maxConcurrent", d.old.MaxConcurrent, d.now.MaxConcurrent, "maxConcurrent.lower", "maxConcurrent.higher")
			},
		},
		{
			rules: []Kind{
				{ID: "maxResultBytes.smaller", Class: Breaking,
					Summary: "The largest size of a result is smaller.",
					Reason:  "Calls whose result was delivered may get result_too_large."},
				{ID: "maxResultBytes.larger", Class: Breaking,
					Summary: "The largest size of a result is larger.",
					Reason:  "Callers may have room for the old size only."},
			},
			compare: func(d *differ) {
				order := cmp.Compare(d.now.effective.MaxResultBytes, d.old.effective.MaxResultBytes)
				ordered(d, "/maxResultBytes", d.old.MaxResultBytes, d.now.MaxResultBytes, order, "maxResultBytes.larger",
					"maxResultBytes.smaller")
			},
		},
		{
			rules: []Kind{
				{ID: "maxArgumentBytes.smaller", Class: Breaking,
					Summary: "The largest size of arguments is smaller.",
					Reason:  "Calls that were accepted may get invalid_input."},
				{ID: "maxArgumentBytes.larger", Class: Additive,
					Summary: "The largest size of arguments is larger.",
					Reason:  "Calls that were accepted still are."},
			},
			compare: func(d *differ) {
				order := cmp.Compare(d.now.effective.MaxArgumentBytes, d.old.effective.MaxArgumentBytes)
				ordered(d, "/maxArgumentBytes", d.old.MaxArgumentBytes, d.now.MaxArgumentBytes, order, "maxArgumentBytes.larger",
					"maxArgumentBytes.smaller")
			},
		},
		// The rate limits of one caller. Without one the server's own limit
		// holds, which is not part of the contract.
		{
			rules: []Kind{
				{ID: "rateLimit.lower", Class: Breaking,
					Summary: "The rate limit refuses calls that the old one allowed.",
					Reason:  "Callers within the old limit may be refused."},
				{ID: "rateLimit.higher", Class: Additive,
					Summary: "The rate limit allows more calls.",
					Reason:  "Callers within the old limit are within the new one."},
				{ID: "rateLimit.declared", Class: Breaking, Unknown: true,
					Summary: "A rate limit replaces the default of the server, or the reverse.",
					Reason:  "The default of the server is not part of the contract, so the two cannot be compared."},
			},
			compare: func(d *differ) {
				old, now := d.old.RateLimit, d.now.RateLimit
				if present(d, "/rateLimit", old, now, "rateLimit.declared", "rateLimit.declared") {
					d.rate("/rateLimit", old, now, "rateLimit.lower", "rateLimit.higher")
				}
			},
		},
		// The rate limits of all callers together. Without one there is no
		// limit.
		{
			rules: []Kind{
				{ID: "totalRateLimit.lower", Class: Breaking,
					Summary: "The rate limit of all callers together refuses calls that the old one allowed.",
					Reason:  "Calls that were allowed beside those of other callers may be refused."},
				{ID: "totalRateLimit.higher", Class: Additive,
					Summary: "The rate limit of all callers together allows more calls.",
					Reason:  "Calls that were allowed beside those of other callers still are."},
			},
			compare: func(d *differ) {
				d.rate("/totalRateLimit", d.old.TotalRateLimit, d.now.TotalRateLimit, "totalRateLimit.lower", "totalRateLimit.higher")
			},
		},
		{
			rules: []Kind{
				{ID: "cancellable.changed", Class: Breaking,
					Summary: "Whether a write ends with its caller changed.",
					Reason:  "If the caller goes away, the call ends in another state than before."},
				{ID: "cancellable.ofRead", Class: Patch,
					Summary: "Whether a write ends with its caller changed, for a tool that only reads.",
					Reason:  "A read always ends with its caller."},
			},
			compare: func(d *differ) {
				old, now := d.old.Cancellable, d.now.Cancellable
				switch {
				case old == now:
				case d.old.Effect == risk.ReadOnly && d.now.Effect == risk.ReadOnly:
					d.add("cancellable.ofRead", "/cancellable", old, now)
				default:
					d.add("cancellable.changed", "/cancellable", old, now)
				}
			},
		},
	}
}

// rate compares two rate limits. Nil is no limit.
func (d *differ) rate(pointer string, old, now *contract.RateLimit, lower, higher string) {
	switch {
	case old == now, old != nil && now != nil && *old == *now:
	case now == nil, old != nil && now.Admits(*old):
		d.add(higher, pointer, orNothing(old), orNothing(now))
	default:
		d.add(lower, pointer, orNothing(old), orNothing(now))
	}
}
