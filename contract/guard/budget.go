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

// failures is the result of the stage Budget. It is zero if the call's failures
// are not counted, or if the call has not reached Budget.
type failures struct {
	key    store.Key    // the key of the counts of this call's failures
	before bool         // failures were counted before this call
	claim  store.Budget // the limit that Begin checks, if the claim is the only query of the store
}

// checkBudget refuses a valid call that has failed too often. If the claim is
// the call's only query of the store, Begin checks the budget in the same step.
func checkBudget(u understood) (failures, *answer) {
	if !hasBudget(u.identified) {
		return failures{}, nil
	}
	f := failures{key: failuresKey(u.identified, u.args)}
	if !u.key.IsZero() && !asksPeople(u.guard, u.tool) && !requiresDryRun(u.guard, u.tool) {
		f.claim = store.Budget{Key: f.key, Limit: int64(u.guard.retries.retries)}
		return f, nil
	}
	found := counted(u.arrival, func(ctx context.Context, s store.Store) (store.Count, error) { return s.Max(ctx, f.key) })
	f.before = found.Highest > 0
	if found.Highest < int64(u.guard.retries.retries) {
		return f, nil
	}
	return f, refuse(exhausted().OrReplay())
}

// hasBudget reports whether failures of this caller are counted at all.
func hasBudget(who identified) bool {
	return who.guard.retries.retries > 0 && !who.principal.IsAnonymous()
}

func exhausted() *refusal.Refusal { return refusal.New(contract.CodeRetryBudgetExhausted, "") }

// failuresKey returns the key under which failures of the call are counted. It
// is made of the canonical arguments, or of the raw bytes if they cannot be
// read.
func failuresKey(who identified, args *bound.Arguments) store.Key {
	what, arguments := "unread", []byte(who.req.Arguments)
	if args != nil {
		what, arguments = "call", args.Canonical
		if args.DryRun {
			what = "dry run"
		}
	}
	digest := who.guard.ledger.Fingerprint(store.Key{}, arguments)
	return who.scope().Key("failures\x00" + what + "\x00" + string(digest[:]))
}

// counted runs an operation on the counts. If the store cannot be reached, it
// returns zero. If the caller disconnects, the call is still counted, and that
// is not an outage.
func counted[T any](in arrival, operation func(context.Context, store.Store) (T, error)) T {
	var none T
	outage := &in.guard.outage
	if !outage.mayQuery() {
		return none
	}
	n, err := operation(context.WithoutCancel(in.ctx), in.guard.ledger)
	outage.observe(!ledger.IsOutage(err))
	if err != nil {
		in.log.note(err)
		return none
	}
	return n
}

// countFailure counts how a call ended. If a call that did not run exceeds the
// budget, the answer becomes retry_budget_exhausted. Only failures that depend
// on the arguments count, and no refusals before the arguments were read.
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
		if n > int64(u.guard.retries.retries) && !ran { // a call that ran keeps its answer
			return u.tool.refused(exhausted())
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		if f.before && !held.held { // the completion of a claimed call resets the count itself
			counted(u.arrival, func(ctx context.Context, s store.Store) (struct{}, error) { return struct{}{}, s.Reset(ctx, key) })
		}
	}
	return result
}

// isOfRecord reports whether a code describes an earlier call: a failure of
// that call, not of this one.
func isOfRecord(code string) bool {
	return code == contract.CodeOutcomeUnknown || code == contract.CodeAlreadyDone || code == contract.CodeKeyConflict
}

// isOfCaller reports whether a code means that the caller or its client lacks
// something that others may have. The arguments are not at fault then.
func isOfCaller(code string) bool {
	return code == contract.CodePermissionDenied || code == contract.CodeStepUpRequired || code == contract.CodeConfirmationRequired
}

// outageTime is the time between two queries of a store that does not answer.
const outageTime = 10 * time.Second

// An outage records that the store did not answer, so that calls do not wait
// for counts one after the other. They can proceed without the counts. The zero
// value means that there is no outage.
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
