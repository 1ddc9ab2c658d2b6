package guard

import (
	"container/list"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// The retry budget where [WithRetryBudget] does not set one.
const (
	DefaultRetries      = 5
	DefaultRetryWindow  = 10 * time.Minute
	maxBudgetedFailures = 10_000
)

// WithRetryBudget bounds how often the same principal may fail with the same
// tool, arguments and code: after that many failures within window, counted
// from the first, the same call answers retry_budget_exhausted and does not
// run. Answers that carry a delay do not count, a success forgets the
// failures, and anonymous callers are not counted, so that none can lock out
// another. Default: [DefaultRetries] in [DefaultRetryWindow]. Zero retries
// switch the budget off. Failures are counted in this process; of more than
// 10,000 at once the oldest are forgotten. What is running has not failed yet:
// of equal calls at once all may run that began within the budget.
func WithRetryBudget(retries int, window time.Duration) Option {
	return optionFunc(func(g *Guard) error {
		if retries < 0 || retries > 0 && window <= 0 {
			return errors.New("guard: WithRetryBudget: retries must not be negative, and their window must be positive")
		}
		g.budget = newBudget(retries, window)
		return nil
	})
}

// A budgetKey identifies one call that may be failing again and again.
type budgetKey [sha256.Size]byte

// A budget counts failures, in a list from the oldest to the newest.
type budget struct {
	retries int
	window  time.Duration

	mu     sync.Mutex
	byKey  map[budgetKey]*list.Element
	oldest *list.List // of *failures
}

type failures struct {
	key    budgetKey
	counts map[string]int // by code
	most   int            // of counts
	since  time.Time
}

func newBudget(retries int, window time.Duration) *budget {
	return &budget{retries: retries, window: window, byKey: map[budgetKey]*list.Element{}, oldest: list.New()}
}

// key identifies the call by its arguments: as they were read, or as they came
// where they could not be.
func (b *budget) key(c *call) budgetKey {
	h := sha256.New()
	arguments := []byte(c.req.Arguments)
	if c.args != nil {
		arguments = c.args.Canonical
	}
	p := c.principal
	for _, part := range []string{p.Issuer, p.Tenant, p.Subject, c.entry.doc.Name, fmt.Sprint(c.args != nil, c.args != nil && c.args.DryRun)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash takes everything
	}
	h.Write(arguments)
	return budgetKey(h.Sum(nil))
}

// spent reports whether the failures of key have used the budget up.
func (b *budget) spent(key budgetKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.current(key)
	return f != nil && f.most >= b.retries
}

// fail counts one failure and reports whether it is past the budget.
func (b *budget) fail(key budgetKey, code string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.current(key)
	if f == nil {
		f = &failures{key: key, counts: map[string]int{}, since: time.Now()}
		b.byKey[key] = b.oldest.PushBack(f)
		if b.oldest.Len() > maxBudgetedFailures {
			b.forget(b.oldest.Front().Value.(*failures).key) //nolint:forcetypeassert // only failures are put in
		}
	}
	f.counts[code]++
	f.most = max(f.most, f.counts[code])
	return f.counts[code] > b.retries
}

// succeed forgets the failures of key.
func (b *budget) succeed(key budgetKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(key)
}

// current returns the failures of key that are within the window.
func (b *budget) current(key budgetKey) *failures {
	e, ok := b.byKey[key]
	if !ok {
		return nil
	}
	f := e.Value.(*failures) //nolint:forcetypeassert // only failures are put in
	if time.Since(f.since) >= b.window {
		b.forget(key)
		return nil
	}
	return f
}

func (b *budget) forget(key budgetKey) {
	if e, ok := b.byKey[key]; ok {
		b.oldest.Remove(e)
		delete(b.byKey, key)
	}
}

// counts reports whether failures of this call are counted at all.
func (b *budget) counts(c *call) bool { return b.retries > 0 && !c.principal.IsAnonymous() }

// checkBudget refuses a valid call that has failed too often already.
func checkBudget(c *call) *Result {
	b := c.set.guard.budget
	if b.counts(c) && b.spent(b.key(c)) {
		return c.unlessDone(c.refuse(contract.CodeRetryBudgetExhausted, ""))
	}
	return nil
}

// isOfRecord reports whether a code says what became of an earlier call: a
// failure of that one, not of this.
func isOfRecord(code string) bool {
	return code == contract.CodeOutcomeUnknown || code == contract.CodeAlreadyDone || code == contract.CodeKeyConflict
}

// settle counts how a call ended, and turns one failure too many of a call
// that did not run into the answer that ends the retries. Only what depends on the arguments counts:
// refusals before they were read do not.
func (c *call) settle(result *Result) *Result {
	b := c.set.guard.budget
	if c.set.guard.skipped[stageBudget] || !b.counts(c) || c.at != stageValidate && c.args == nil {
		return result
	}
	o := &result.Outcome
	switch {
	case o.Code == contract.CodeRetryBudgetExhausted || o.RetryAfterMs > 0 || isOfRecord(o.Code):
	case o.Status == contract.StatusError:
		if b.fail(b.key(c), o.Code) && !c.ran { // what ran is told as it was
			return c.refuse(contract.CodeRetryBudgetExhausted, "")
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		b.succeed(b.key(c))
	}
	return result
}
