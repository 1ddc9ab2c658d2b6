package contract

import (
	"time"
)

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
