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

// A RateLimit bounds how often a tool is called. It is a token bucket: it
// allows Calls at once and refills evenly, by Calls in each Per. Over a long
// time it allows Calls in each Per. A single window of Per can contain up to
// twice as many, if a full bucket is emptied and every refilled call is made.
type RateLimit struct {
	// Calls is the number of calls that are allowed at once, and refilled in
	// each Per.
	Calls int `json:"calls"`
	// Per is the time in which Calls are refilled evenly, in whole seconds.
	Per time.Duration `json:"perSeconds"`
}

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

// RateLimit bounds how often one principal calls the tool. It allows this many
// calls at once, and refills them evenly over per, in whole seconds. A single
// window of per can contain up to twice as many calls; see [RateLimit].
// Default: the limit of the guard.
func (b *Builder[In, Out]) RateLimit(calls int, per time.Duration) *Builder[In, Out] {
	declaredRateLimit.set(&b.verbs, RateLimit{calls, per})
	return b
}

// TotalRateLimit bounds in the same way how often all callers together call the
// tool. It cannot be below the limit of one caller. Declare both, so that no
// single caller uses up the total. Default: none.
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

// isRate reports whether a number is positive, and its period a positive number
// of whole seconds.
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

// A RetryBudget bounds how often one principal may fail with the same tool,
// arguments and code. The window begins with the first of these failures, and a
// success resets the count. If the budget is used up, the same call answers
// retry_budget_exhausted and does not run:
//
//   - A tool with an effect is refused until the window is over. The answer is
//     fatal, and its text has the remaining time.
//   - A read-only tool is refused for a pause of Window divided by
//     Failures, or until the window is over, if that is sooner. Then the call
//     runs again, because a file that was missing, for example, may exist by
//     then. Each further failure begins another pause. The answer during a
//     pause is retryable, and its delay is the rest of the pause.
//
// Equal calls that run one after the other therefore fail with one code at most
// Failures times in a window. Those of a read-only tool fail at most twice as
// often.
type RetryBudget struct {
	// Failures is the number of failures with one code that use up the budget.
	Failures int `json:"failures"`
	// Window is the time in which failures are counted, in whole seconds.
	Window time.Duration `json:"windowSeconds"`
}

func retryBudgetClause() clause {
	return clause{
		members: []string{"retryBudget"},
		keys:    tagKeys{"retryBudget": parsedValue(declaredRetryBudget, parseRetryBudget, budgetRemedy)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredRetryBudget, b.RetryBudget) },
		check:   checkRetryBudget,
	}
}

// RetryBudget bounds how often one principal may fail with the same arguments
// and code: n times within window. Both are positive, and window is in whole
// seconds. After that the same call is refused; [RetryBudget] describes for how
// long. Default: the budget of the guard. A declared budget also applies if the
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
