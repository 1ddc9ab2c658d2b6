package contract

import (
	"fmt"
	"math/big"
	"time"
)

const (
	declaredRateLimit      declaration[rate] = "rateLimit"
	declaredTotalRateLimit declaration[rate] = "totalRateLimit"
)

// A rate is a number of calls or of failures in a period, as one layer declares
// it.
type rate struct {
	calls int
	per   time.Duration
}

// isValid reports whether the number is positive, and the period a positive
// number of whole seconds.
func (r rate) isValid() bool { return r.calls > 0 && r.per > 0 && r.per%time.Second == 0 }

func (r rate) seconds() int64 { return int64(r.per / time.Second) }

const ruleLimitTotal = "limit.total"

// A RateLimit bounds how often a tool is called. It is a token bucket: it
// allows Calls at once and refills evenly, by Calls in each PerSeconds. Over a
// long time it allows Calls in each PerSeconds. A single window of PerSeconds
// can contain up to twice as many, if a full bucket is emptied and every
// refilled call is made.
type RateLimit struct {
	// Calls is the number of calls that are allowed at once, and refilled in
	// each PerSeconds.
	Calls int `json:"calls"`
	// PerSeconds is the time in which Calls are refilled evenly, in seconds.
	PerSeconds int64 `json:"perSeconds"`
}

// rate returns r as a layer declares it.
func (r RateLimit) rate() rate { return rate{r.Calls, time.Duration(r.PerSeconds) * time.Second} }

func rateLimitClause() clause {
	return clause{
		members: []string{"rateLimit", "totalRateLimit"},
		keys: tagKeys{
			"rateLimit":      parsedValue(declaredRateLimit, parseRate, rateRemedy),
			"totalRateLimit": parsedValue(declaredTotalRateLimit, parseRate, rateRemedy),
		},
		base: func(b *Base, l *layer) {
			fromBase(l, declaredRateLimit, b.RateLimit.rate())
			fromBase(l, declaredTotalRateLimit, b.TotalRateLimit.rate())
		},
		check: checkRateLimits,
		rules: []Rule{{ID: ruleLimitTotal, Summary: "A rate limit for all callers together is not below that of one."}},
	}
}

// RateLimit bounds how often one principal calls the tool. It allows this many
// calls at once, and refills them evenly over per, in whole seconds. A single
// window of per can contain up to twice as many calls; see [RateLimit].
// Default: the limit of the guard.
func (b *Builder[In, Out]) RateLimit(calls int, per time.Duration) *Builder[In, Out] {
	declaredRateLimit.set(&b.verbs, rate{calls, per})
	return b
}

// TotalRateLimit bounds in the same way how often all callers together call the
// tool. It cannot be below the limit of one caller. Declare both, so that no
// single caller uses up the total. Default: none.
func (b *Builder[In, Out]) TotalRateLimit(calls int, per time.Duration) *Builder[In, Out] {
	declaredTotalRateLimit.set(&b.verbs, rate{calls, per})
	return b
}

func checkRateLimits(c *checker) {
	d := &c.doc
	d.RateLimit = c.rateLimit("rateLimit", declaredRateLimit)
	d.TotalRateLimit = c.rateLimit("totalRateLimit", declaredTotalRateLimit)
	if one, all := d.RateLimit, d.TotalRateLimit; one != nil && all != nil && one.Admits(*all) && !all.Admits(*one) {
		c.bad(ruleLimitTotal, "totalRateLimit", fmt.Sprintf("all callers together have %d calls in %d s, which is below the rateLimit of one, %d in %d s", all.Calls, all.PerSeconds, one.Calls, one.PerSeconds), "raise it, or lower the rateLimit")
	}
}

func (c *checker) rateLimit(where string, of declaration[rate]) *RateLimit {
	r, declared := of.in(&c.layer)
	if !declared {
		return nil
	}
	if !r.isValid() {
		c.bad(ruleLimitRange, where, "the limit is not a positive number of calls in whole seconds", c.advice(string(of), "use a limit such as 20 in a time.Minute", `write a limit such as `+where+`:"20/1m"`))
		return nil
	}
	return &RateLimit{Calls: r.calls, PerSeconds: r.seconds()}
}

// Admits reports whether r allows every series of calls that other allows. It
// reports false if the period of either is not positive.
func (r RateLimit) Admits(other RateLimit) bool {
	if r.PerSeconds <= 0 || other.PerSeconds <= 0 || r.Calls < other.Calls {
		return false
	}
	// Of two token buckets, r has at all times as many tokens as other exactly
	// if it holds as many and refills as fast.
	return product(r.Calls, other.PerSeconds).Cmp(product(other.Calls, r.PerSeconds)) >= 0
}

func product(calls int, seconds int64) *big.Int {
	p := big.NewInt(int64(calls))
	return p.Mul(p, big.NewInt(seconds))
}
