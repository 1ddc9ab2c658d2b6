package guard

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/store"
)

// WithRetryBudget bounds how often the same principal may fail with the same
// tool, arguments and code, for tools whose contract declares no retryBudget.
// After that many failures within window, counted from the first, the same call
// answers retry_budget_exhausted and does not run. A success resets the count.
// Default: 5 in 10 minutes. Zero failures switch the budget off, except for
// tools that declare their own. A negative number, and a window that is not
// positive, are errors.
//
// For a tool with an effect the answer is fatal until window is over. A
// read-only tool runs again after a pause of window divided by failures,
// because a file that was missing, for example, may exist by then. Each further
// failure begins another pause. The answer during a pause is retryable, and its
// delay is the rest of the pause; see [contract.RetryBudget].
//
// Answers with a delay do not count, and neither do answers about something
// that the caller lacks (permission_denied, step_up_required,
// confirmation_required). Anonymous callers are not counted, because one of
// them could lock out others.
//
// Failures are counted in the guard's store, for all guards on it together.
// While the store cannot be reached, no call is refused because of its budget,
// and failures are not counted.
//
// Running calls do not count as failures, so equal concurrent calls that began
// within the budget, or after a pause, may all run. For a managed tool with an
// effect, only one call of a key runs at a time, and never more calls than the
// budget allows.
func WithRetryBudget(failures int, window time.Duration) Option {
	return optionFunc(func(c *config) error {
		if failures < 0 || failures > 0 && window <= 0 {
			return errors.New("guard: WithRetryBudget: failures must not be negative, and their window must be positive")
		}
		c.retries = access.RetryBudget{Failures: failures, Window: window}
		return nil
	})
}

// WithLimiter sets the limiter that counts calls against rate limits. Default:
// a [store.MemoryLimiter] for this guard alone, so that each guard has its own
// limits. A call is refused if the limiter fails or does not answer within 10
// seconds. Nil is an error.
//
// Each principal has a limit for each tool: the contract's rateLimit, else
// [WithRateLimit]. A contract may also limit all callers of a tool together.
// Both are token buckets; see [store.Bucket]. A refused call gets the time
// after which it would be allowed if no other call came. Invalid calls, replays
// and dry runs also count. Calls of callers that may not use the tool do not
// count. The call that asked a question also pays for the call that answers it,
// once. Limits apply within one process, unless [WithLimiter] sets a shared
// limiter. The names of buckets do not disclose the caller.
func WithLimiter(l store.Limiter) Option {
	return optionFunc(func(c *config) error {
		if l == nil {
			return errors.New("guard: WithLimiter: the limiter is nil; pass one, or leave the option out")
		}
		c.limiter = l
		return nil
	})
}

// WithRateLimit sets how often one principal may call one tool whose contract
// declares no limit: a burst of at most calls, refilled evenly over per.
// Default: 600 in a minute, because servers must limit the rate of calls (MCP
// 2026-07-28, tools, security considerations). The limit cannot be disabled. A
// number or a time that is not positive is an error. Anonymous callers share
// one limit per tool because they cannot be told apart.
func WithRateLimit(calls int, per time.Duration) Option {
	return optionFunc(func(c *config) error {
		if calls < 1 || per <= 0 {
			return errors.New("guard: WithRateLimit: the number of calls and their time must be positive")
		}
		c.rate = access.CallRate{Calls: calls, Per: per}
		return nil
	})
}
