package guard

import (
	"context"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
)

// failures is what Budget finds. The zero failures is that of a call whose
// failures are not counted, or that has not come to Budget.
type failures struct {
	key    store.Key    // what failures of the call are counted under
	before bool         // some had been counted
	claim  store.Budget // what Begin holds the call to, if the claim is its only look at the store
}

// checkBudget refuses a valid call that has failed too often. If the claim of
// the call is its only look at the store, Begin does so in the same step.
func checkBudget(u understood) (failures, *answer) {
	if !hasBudget(u.identified) {
		return failures{}, nil
	}
	f := failures{key: failuresKey(u.identified, u.args)}
	if !u.key.IsZero() && !asksPeople(u.guard, u.tool) && !requiresDryRun(u.guard, u.tool) {
		f.claim = store.Budget{Key: f.key, Limit: int64(u.guard.retries.retries)}
		return f, nil
	}
	n := counted(u.arrival, func(ctx context.Context, s store.Store) (int64, error) { return s.Max(ctx, f.key) })
	f.before = n > 0
	if n < int64(u.guard.retries.retries) {
		return f, nil
	}
	return f, refuse(exhausted().OrReplay())
}

// hasBudget reports whether failures of this caller are counted at all.
func hasBudget(who identified) bool {
	return who.guard.retries.retries > 0 && !who.principal.IsAnonymous()
}

func exhausted() *refusal.Refusal { return refusal.New(contract.CodeRetryBudgetExhausted, "") }

// failuresKey returns what failures of the call are counted under: its
// arguments as they were read, or as they came if they cannot be read.
func failuresKey(who identified, args *bound.Arguments) store.Key {
	what, arguments := "unread", []byte(who.req.Arguments)
	if args != nil {
		what, arguments = "call", args.Canonical
		if args.DryRun {
			what = "dry run"
		}
	}
	digest := store.Fingerprint(arguments)
	return who.scope().Key("failures\x00" + what + "\x00" + string(digest[:]))
}

// counted runs an operation on the counts. If the store cannot be reached the
// answer is zero. A caller that hangs up changes nothing: its call is counted,
// and is no outage.
func counted(in arrival, operation func(context.Context, store.Store) (int64, error)) int64 {
	outage := &in.guard.outage
	if !outage.mayQuery() {
		return 0
	}
	n, err := operation(context.WithoutCancel(in.ctx), in.guard.ledger)
	outage.observe(!ledger.IsOutage(err))
	if err != nil {
		in.log.note(err)
		return 0
	}
	return n
}

// countFailure counts how a call ended. A failure too many of a call that did
// not run becomes the answer that ends the retries. Only what depends on the
// arguments counts; refusals before the arguments were read do not.
func countFailure(u understood, f failures, held claim, ran bool, result *Result) *Result {
	if !hasBudget(u.identified) {
		return result
	}
	key, o := f.key, &result.Outcome
	if key.IsZero() {
		key = failuresKey(u.identified, u.args)
	}
	switch {
	case o.Code == contract.CodeRetryBudgetExhausted || o.RetryAfterMs > 0 || isOfRecord(o.Code) || isOfCaller(o.Code):
	case o.Status == contract.StatusError:
		code, window := o.Code, u.guard.retries.window
		n := counted(u.arrival, func(ctx context.Context, s store.Store) (int64, error) { return s.Add(ctx, key, code, window) })
		if n > int64(u.guard.retries.retries) && !ran { // the answer of a call that ran stays
			return u.tool.refused(exhausted())
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		if f.before && !held.held { // else the completion resets it in the same step
			counted(u.arrival, func(ctx context.Context, s store.Store) (int64, error) { return 0, s.Reset(ctx, key) })
		}
	}
	return result
}

// isOfRecord reports whether a code describes an earlier call: a failure of
// that call, not of this one.
func isOfRecord(code string) bool {
	return code == contract.CodeOutcomeUnknown || code == contract.CodeAlreadyDone || code == contract.CodeKeyConflict
}

// isOfCaller reports whether a code names what the caller or its client lacks
// and others have: no failure of the arguments.
func isOfCaller(code string) bool {
	return code == contract.CodePermissionDenied || code == contract.CodeStepUpRequired || code == contract.CodeConfirmationRequired
}

// outageTime is how long a store that did not answer is left alone.
const outageTime = 10 * time.Second

// An outage keeps calls from waiting one after the other for counts that a
// store does not answer, because they can proceed without them. The zero outage
// is none.
type outage struct {
	mu    sync.Mutex
	until time.Time // zero: there is no outage
}

// mayQuery reports whether to query the store. During an outage one caller per
// outageTime queries it; all others proceed without it.
func (o *outage) mayQuery() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.until.IsZero() {
		return true
	}
	if now.Before(o.until) {
		return false
	}
	o.until = now.Add(outageTime)
	return true
}

// observe records whether the store answered.
func (o *outage) observe(answered bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Time{}
	if !answered {
		o.until = time.Now().Add(outageTime)
	}
}
