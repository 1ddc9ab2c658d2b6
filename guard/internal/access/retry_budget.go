package access

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/store"
)

// A RetryBudget bounds how often a call may fail. Zero failures switch it off.
type RetryBudget struct {
	Failures int
	Window   time.Duration
}

// pause is how long a read whose budget is used up is refused after a failure.
// It is positive, because the store requires that.
func (b RetryBudget) pause() time.Duration { return max(b.Window/time.Duration(b.Failures), 1) }

// A FailureCount tells one call how often identical calls have failed, and
// counts its own failure.
type FailureCount struct {
	facts.View

	Ledger  *ledger.Ledger
	Default RetryBudget // of tools whose contract declares none
	Raw     []byte      // the arguments as sent, which count if Args is nil

	// Failures has the answers of the store.
	Failures
}

// Failures is what the store knows about earlier failures of identical calls.
// It is zero before [FailureCount.Check], and if failures are not counted.
type Failures struct {
	keys   *keys // nil: nothing needs them yet
	claims bool  // the claim is the only query of the store, so it checks the limit

	before  bool          // failures were counted before this call
	usedUp  bool          // these failures use up the budget
	refused bool          // the call is refused now
	left    time.Duration // how long it is refused
}

// keys are the keys under which the failures of a call are counted.
type keys struct {
	counts store.Key
	pause  store.Key // of the count that exists during a pause of a read-only tool; zero for other tools
}

// Check refuses a valid call that has failed too often. If the call will be
// claimed, and the claim is its only query of the store, the claim checks the
// budget in the same step instead.
func (c *FailureCount) Check(ctx context.Context, claimed bool) *answer.Refusal {
	if !c.isCounted() {
		return nil
	}
	if c.claims = claimed && c.Tool.ClaimChecksBudget; c.claims || !c.Ledger.MayHaveCounts() {
		return nil
	}
	c.keys = c.makeKeys()
	if c.lookUp(ctx); !c.refused {
		return nil
	}
	return c.exhausted().OrReplay()
}

// Limit returns the limit that the claim checks. It is zero if there is none,
// and if the store holds no count, because there is nothing to check then.
func (c *FailureCount) Limit() store.Budget {
	if !c.claims || !c.hasKeys() {
		return store.Budget{}
	}
	return store.Budget{Key: c.keys.counts, Limit: int64(c.budget().Failures)}
}

// CheckAgain refuses a call that was claimed without a limit, because the store
// held no count before the claim, if calls that have ended since then used up
// the budget. Each of them was counted before it gave up the record.
func (c *FailureCount) CheckAgain(ctx context.Context) *answer.Refusal {
	if !c.claims || !c.hasKeys() {
		return nil
	}
	if c.lookUp(ctx); !c.refused {
		return nil
	}
	return c.exhausted()
}

// Forgotten returns the key of the counts that the completion of a claimed call
// resets. It is zero if there is nothing to reset.
func (c *FailureCount) Forgotten() store.Key {
	if !c.hasKeys() {
		return store.Key{}
	}
	return c.keys.counts
}

// hasKeys reports whether the call has its keys. It makes those of a call whose
// claim checks the budget, unless the store holds no count.
func (c *FailureCount) hasKeys() bool {
	if c.keys == nil && c.claims && c.Ledger.MayHaveCounts() {
		c.keys = c.makeKeys()
	}
	return c.keys != nil
}

// Exhausted refuses a call whose claim found the budget used up.
func (c *FailureCount) Exhausted(ctx context.Context) *answer.Refusal {
	c.lookUp(ctx)
	return c.exhausted()
}

// isCounted reports whether failures of this caller are counted at all.
func (c *FailureCount) isCounted() bool { return c.budget().Failures > 0 && !c.Principal.IsAnonymous() }

// budget returns the retry budget of the tool's contract, or the guard's
// default if the contract declares none.
func (c *FailureCount) budget() RetryBudget {
	if b := c.Tool.Doc.RetryBudget; b != nil {
		return RetryBudget{Failures: b.Failures, Window: b.Window}
	}
	return c.Default
}

// exhausted refuses a call whose failures use up the budget. The text says how
// many failures there were, in which window, and how long the call is refused.
func (c *FailureCount) exhausted() *answer.Refusal {
	b := c.budget()
	times := "once"
	if b.Failures > 1 {
		times = fmt.Sprintf("%d times", b.Failures)
	}
	r := answer.NewRefusal(contract.CodeRetryBudgetExhausted, fmt.Sprintf("the same call failed %s within %s", times, b.Window))
	switch {
	case c.Tool.IsRead:
		r.RetryAfter = c.left
	case c.left > 0: // zero if the store did not answer
		r.Lines = []string{fmt.Sprintf("It is refused for another %s.", answer.RoundedUp(c.left))}
	}
	return r
}

// makeKeys returns the keys under which failures of the call are counted. They
// are made of the canonical arguments, or of the raw bytes if they cannot be
// read.
func (c *FailureCount) makeKeys() *keys {
	what, arguments := "unread", c.Raw
	if c.Args != nil {
		what = "call"
		arguments = c.Args.Canonical
		if c.Args.DryRun {
			what = "dry run"
		}
	}
	digest := c.Ledger.Fingerprint(store.Key{}, arguments)
	name := what + "\x00" + string(digest[:])
	k := &keys{counts: c.Scope.Key("failures\x00" + name)}
	if c.Tool.IsRead {
		k.pause = c.Scope.Key("pause after failures\x00" + name)
	}
	return k
}

// lookUp queries the failures of the call. If they use up the budget, a call
// that may have an effect is refused until their window is over. A read is
// refused only during a pause.
func (c *FailureCount) lookUp(ctx context.Context) {
	failed := query(ctx, c, func(ctx context.Context, s store.Store) (store.Count, error) { return s.Max(ctx, c.keys.counts) })
	c.before = failed.Highest > 0
	c.usedUp = failed.Highest >= int64(c.budget().Failures)
	c.refused = c.usedUp
	c.left = failed.WindowLeft
	if c.usedUp && c.Tool.IsRead {
		paused := query(ctx, c, func(ctx context.Context, s store.Store) (store.Count, error) { return s.Max(ctx, c.keys.pause) })
		c.refused = paused.Highest > 0
		c.left = min(c.left, paused.WindowLeft)
	}
}

// query runs an operation on the counts. If the store cannot be reached, it
// returns zero. If the caller disconnects, the call is still counted, and that
// is not an outage.
func query[T any](ctx context.Context, c *FailureCount, operation func(context.Context, store.Store) (T, error)) T {
	var none T
	n, err := operation(context.WithoutCancel(ctx), c.Ledger)
	if err != nil {
		c.Journal.Note(err)
		return none
	}
	return n
}
