package guard

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A budget says how often a call may fail; [ledger] has what counts.
type budget struct {
	retries int
	window  time.Duration
	outage  outage // of what counts
}

func newBudget(c retryBudget) *budget {
	return &budget{retries: c.retries, window: c.window}
}

// hasBudget reports whether failures of this call are counted at all.
func (c *call) hasBudget() bool {
	g := c.set.guard
	return g.budget.retries > 0 && !c.principal.IsAnonymous() && !g.skipped[stageBudget]
}

// failuresKey is what the failures of this call are counted under: by its
// arguments, as they were read, or as they came where they could not be.
func (c *call) failuresKey() store.Key {
	if c.failures.IsZero() {
		what, arguments := "unread", []byte(c.req.Arguments)
		if c.args != nil {
			what, arguments = "call", c.args.Canonical
			if c.args.DryRun {
				what = "dry run"
			}
		}
		digest := store.Fingerprint(arguments)
		c.failures = c.scope().Key("failures\x00" + what + "\x00" + string(digest[:]))
	}
	return c.failures
}

// looksInClaim reports whether Begin looks at the budget in the same step in
// which it claims: where that is the call's only look at the store.
func (c *call) looksInClaim() bool {
	return !c.key.IsZero() && !c.set.guard.comesBack(c.entry) && !requiresDryRun(c.entry)
}

// claimBudget is what the claim of this call is held to.
func (c *call) claimBudget() store.Budget {
	if !c.hasBudget() || !c.looksInClaim() {
		return store.Budget{}
	}
	return store.Budget{Key: c.failuresKey(), Limit: int64(c.set.guard.budget.retries)}
}

// checkBudget refuses a valid call that has failed too often already, where
// Begin does not.
func checkBudget(c *call) *Result {
	if !c.hasBudget() || c.looksInClaim() {
		return nil
	}
	n := c.counted(func(ctx context.Context, s store.Store, key store.Key) (int64, error) {
		return s.Max(ctx, key)
	})
	c.failedBefore = n > 0
	if n < int64(c.set.guard.budget.retries) {
		return nil
	}
	return c.unlessDone(c.exhausted())
}

func (c *call) exhausted() *Result { return c.refuse(contract.CodeRetryBudgetExhausted, "") }

// counted asks what counts failures. Where it cannot be reached the answer is
// zero. A caller that hangs up decides nothing: its call is counted, and is no
// outage.
func (c *call) counted(operation func(context.Context, store.Store, store.Key) (int64, error)) int64 {
	l, outage := c.set.guard.ledger, &c.set.guard.budget.outage
	if !outage.mayAsk() {
		return 0
	}
	key := c.failuresKey()
	n, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) {
		return operation(ctx, l.store, key)
	})
	outage.heard(!unanswered(err))
	if err == nil {
		return n
	}
	if c.cause == nil {
		c.cause = err
	}
	return 0
}

// isOfRecord reports whether a code says what became of an earlier call: a
// failure of that one, not of this.
func isOfRecord(code string) bool {
	return code == contract.CodeOutcomeUnknown || code == contract.CodeAlreadyDone || code == contract.CodeKeyConflict
}

// isOfCaller reports whether a code says what the caller or its client lacks,
// which others have: no failure of the arguments.
func isOfCaller(code string) bool {
	return code == contract.CodePermissionDenied || code == contract.CodeStepUpRequired || code == contract.CodeConfirmationRequired
}

// settle counts how a call ended, and turns one failure too many of a call
// that did not run into the answer that ends the retries. Only what depends on the arguments counts:
// refusals before they were read do not.
func (c *call) settle(result *Result) *Result {
	if !c.hasBudget() || c.at != stageValidate && c.args == nil {
		return result
	}
	b, o := c.set.guard.budget, &result.Outcome
	switch {
	case o.Code == contract.CodeRetryBudgetExhausted || o.RetryAfterMs > 0 || isOfRecord(o.Code) || isOfCaller(o.Code):
	case o.Status == contract.StatusError:
		n := c.counted(func(ctx context.Context, s store.Store, key store.Key) (int64, error) {
			return s.Add(ctx, key, o.Code, b.window)
		})
		if n > int64(b.retries) && !c.ran { // what ran is told as it was
			return c.exhausted()
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		if c.failedBefore && !c.forgetsInCompletion() {
			c.counted(func(ctx context.Context, s store.Store, key store.Key) (int64, error) {
				return 0, s.Reset(ctx, key)
			})
		}
	}
	return result
}

// forgetsInCompletion reports whether Complete forgets the failures of a call
// that succeeds, in the same step.
func (c *call) forgetsInCompletion() bool {
	return c.claimed && c.hasBudget()
}
