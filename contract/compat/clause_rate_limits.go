package compat

import (
	"github.com/toolcontract/toolcontract/contract"
)

// rateLimitClause compares the rate limits of one caller. Without one the
// server's own limit holds, which is not part of the contract.
func rateLimitClause() clause {
	return clause{
		rules: []Rule{
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
	}
}

// totalRateLimitClause compares the rate limits of all callers together.
// Without one there is no limit.
func totalRateLimitClause() clause {
	return clause{
		rules: []Rule{
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
