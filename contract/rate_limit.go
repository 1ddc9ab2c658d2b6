package contract

import (
	"fmt"
	"math/big"
	"time"
)

const (
	declaredRateLimit      declaration[RateLimit] = "rateLimit"
	declaredTotalRateLimit declaration[RateLimit] = "totalRateLimit"
)

const ruleLimitTotal = "limit.total"

func rateLimitClause() clause {
	return clause{
		members: []string{"rateLimit", "totalRateLimit"},
		keys: tagKeys{
			"rateLimit":      parsedValue(declaredRateLimit, parseRateLimit, rateRemedy),
			"totalRateLimit": parsedValue(declaredTotalRateLimit, parseRateLimit, rateRemedy),
		},
		base: func(b *Base, l *layer) {
			fromBase(l, declaredRateLimit, b.RateLimit)
			fromBase(l, declaredTotalRateLimit, b.TotalRateLimit)
		},
		check: checkRateLimits,
		rules: []BuildRule{{ID: ruleLimitTotal, Summary: "A rate limit for all callers together is not below that of one."}},
	}
}

// RateLimit limits how often one principal calls the tool. It allows this many
// calls at once, and refills them evenly over per, in whole seconds. A single
// window of per can contain up to twice as many calls; see [RateLimit].
// Default: the guard's limit.
func (b *Builder[In, Out]) RateLimit(calls int, per time.Duration) *Builder[In, Out] {
	declaredRateLimit.set(&b.verbs, RateLimit{calls, per})
	return b
}

// TotalRateLimit does the same for all callers together. It cannot be below the
// limit of one caller. Declare both, so that no single caller uses up the
// total. Default: none.
func (b *Builder[In, Out]) TotalRateLimit(calls int, per time.Duration) *Builder[In, Out] {
	declaredTotalRateLimit.set(&b.verbs, RateLimit{calls, per})
	return b
}

func checkRateLimits(c *checker) {
	d := &c.doc
	d.RateLimit = c.rateLimit("rateLimit", declaredRateLimit)
	d.TotalRateLimit = c.rateLimit("totalRateLimit", declaredTotalRateLimit)
	if one, all := d.RateLimit, d.TotalRateLimit; one != nil && all != nil && one.Admits(*all) && !all.Admits(*one) {
		c.bad(ruleLimitTotal, "totalRateLimit", fmt.Sprintf("all callers together have %d calls in %d s, which is below the rateLimit "+
			"of one, %d in %d s",
			all.Calls, all.Per/time.Second, one.Calls, one.Per/time.Second), "raise it, or lower the rateLimit")
	}
}

func (c *checker) rateLimit(where string, of declaration[RateLimit]) *RateLimit {
	r, declared := of.in(&c.layer)
	if !declared {
		return nil
	}
	if !isRate(r.Calls, r.Per) {
		c.bad(ruleLimitRange, where, "the limit is not a positive number of calls in whole seconds", c.advice(string(of),
			"use a limit such as 20 in a time.Minute", `write a limit such as `+where+`:"20/1m"`))
		return nil
	}
	return &r
}

// isRate reports whether n is positive, and per a positive number of whole
// seconds.
func isRate(n int, per time.Duration) bool { return n > 0 && per > 0 && per%time.Second == 0 }

// Admits reports whether r allows every series of calls that other allows. It
// reports false if the period of either is not positive.
func (r RateLimit) Admits(other RateLimit) bool {
	if r.Per <= 0 || other.Per <= 0 || r.Calls < other.Calls {
		return false
	}
	// Of two token buckets, r has at all times as many tokens as other exactly
	// if it holds as many and refills as fast.
	return product(r.Calls, other.Per).Cmp(product(other.Calls, r.Per)) >= 0
}

func product(calls int, per time.Duration) *big.Int {
	p := big.NewInt(int64(calls))
	return p.Mul(p, big.NewInt(int64(per)))
}

const declaredRetryBudget declaration[RetryBudget] = "retryBudget"

const budgetRemedy = "write failures/time, such as 3/5m"

func retryBudgetClause() clause {
	return clause{
		members: []string{"retryBudget"},
		keys:    tagKeys{"retryBudget": parsedValue(declaredRetryBudget, parseRetryBudget, budgetRemedy)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredRetryBudget, b.RetryBudget) },
		check:   checkRetryBudget,
	}
}

// RetryBudget limits how often one principal may fail with the same arguments
// and code: n times within window. Both are positive, and window is in whole
// seconds. After that the same call is refused; [RetryBudget] describes for how
// long. Default: the guard's budget. A declared budget applies even if the
// guard has none.
func (b *Builder[In, Out]) RetryBudget(n int, window time.Duration) *Builder[In, Out] {
	declaredRetryBudget.set(&b.verbs, RetryBudget{n, window})
	return b
}

func checkRetryBudget(c *checker) {
	r, declared := declaredRetryBudget.in(&c.layer)
	switch {
	case !declared:
	case !isRate(r.Failures, r.Window):
		c.bad(ruleLimitRange, "retryBudget", "the budget is not a positive number of failures in whole seconds",
			c.advice(string(declaredRetryBudget), "use a budget such as 3 in 5*time.Minute", `write a budget such as retryBudget:"3/5m"`))
	default:
		c.doc.RetryBudget = &r
	}
}
