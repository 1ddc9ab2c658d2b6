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
// tools that declare their own. A negative number is an error, and so is a
// window that is not positive.
//
// For a tool with an effect the answer is fatal until window is over. A
// read-only tool runs again after a pause of window divided by failures: a file
// that was missing, for example, may exist by then. Each further failure starts
// another pause. Calls during a pause get a retryable answer, whose delay is
// the rest of the pause; see [contract.RetryBudget].
//
// Answers with a delay do not count, and neither do answers about something
// that the caller lacks (permission_denied, step_up_required,
// confirmation_required). Failures of anonymous callers are not counted,
// because one caller could lock out others.
//
// Failures are counted in the guard's store, together for all guards that use
// it. While the store cannot be reached, no call is refused because of its
// budget, and failures are not counted.
//
// Running calls do not count as failures, so identical concurrent calls that
// began within the budget, or after a pause, may all run. For a managed tool
// with an effect, only one call of a key runs at a time, and never more calls
// than the budget allows.
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
// a [store.MemoryLimiter] of this guard alone, so each guard has its own
// limits. A call is refused if the limiter fails or does not answer within 10
// seconds. Nil is an error.
//
// Each principal has a limit for each tool: the contract's rateLimit, or else
// [WithRateLimit]. A contract may also limit all callers of a tool together.
// Both are token buckets; see [store.Bucket]. A refused call gets the delay
// after which it would be allowed if no other call came in. Invalid calls,
// replays and dry runs count too; calls by principals that may not use the tool
// do not. A call that asks a question also pays for the call that brings the
// answer, once. Limits apply within one process, unless [WithLimiter] sets a
// shared limiter. Bucket names do not reveal the caller.
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
