package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
)

// failures is the result of the stage Budget. It is zero if the call's failures
// are not counted, or if the call has not reached Budget.
type failures struct {
	standing

	keys   *failureKeys // nil: nothing needs them yet
	claims bool         // the claim is the only query of the store, so Begin checks the limit
}

// failureKeys are the keys under which the failures of a call are counted.
type failureKeys struct {
	counts store.Key
	pause  store.Key // of the count that exists during a pause of a read-only tool; zero for other tools
}

// key returns the key of the counts, zero if k is nil.
func (k *failureKeys) key() store.Key {
	if k == nil {
		return store.Key{}
	}
	return k.counts
}

// A standing is what the store knows about the failures of a call.
type standing struct {
	before  bool          // failures were counted before this call
	usedUp  bool          // these failures use up the budget
	refused bool          // the call is refused now
	left    time.Duration // how long it is refused
}

// checkBudget refuses a valid call that has failed too often. If the claim is
// the call's only query of the store, Begin checks the budget in the same step.
func checkBudget(u understood) (failures, *answer.Answer) {
	if !hasBudget(u.identified) {
		return failures{}, nil
	}
	claims := !u.key.IsZero() && u.tool.ClaimChecksBudget
	if claims || !u.engine.ledger.MayHaveCounts() {
		return failures{claims: claims}, nil
	}
	f := failures{keys: failureKeysOf(u.identified, u.args)}
	if f.standing = f.lookUp(u.arrival); !f.refused {
		return f, nil
	}
	return f, answer.Refuse(exhausted(u.arrival, f.left).OrReplay())
}

// atClaim returns a copy of f with its key, which the claim checks and the
// completion resets. If the store holds no count, there is nothing to check and
// nothing to reset, so the key stays as it is.
func (f *failures) atClaim(u understood) failures {
	known := *f
	if f.claims && u.engine.ledger.MayHaveCounts() {
		known.keys = failureKeysOf(u.identified, u.args)
	}
	return known
}

// limit returns the limit that the claim checks. It is zero if there is none.
func (f *failures) limit(in arrival) store.Budget {
	if !f.claims || f.keys == nil {
		return store.Budget{}
	}
	return store.Budget{Key: f.keys.counts, Limit: int64(in.budget().Failures)}
}

// hasBudget reports whether failures of this caller are counted at all.
func hasBudget(who identified) bool {
	return who.budget().Failures > 0 && !who.principal.IsAnonymous()
}

// budget returns the retry budget of the tool's contract, or the guard's
// default if the contract declares none.
func (in *arrival) budget() RetryBudget {
	if b := in.tool.Doc.RetryBudget; b != nil {
		return RetryBudget{Failures: b.Failures, Window: b.Window}
	}
	return in.engine.config.Retries
}

// exhausted refuses a call whose failures use up the budget. The text has the
// number of failures, their window, and how long the call is refused.
func exhausted(in arrival, left time.Duration) *answer.Refusal {
	b, times := in.budget(), "once"
	if b.Failures > 1 {
		times = fmt.Sprintf("%d times", b.Failures)
	}
	r := answer.NewRefusal(contract.CodeRetryBudgetExhausted, fmt.Sprintf("the same call failed %s within %s", times, b.Window))
	switch {
	case in.tool.IsRead:
		r.RetryAfter = left
	case left > 0: // zero if the store did not answer
		r.Lines = []string{fmt.Sprintf("It is refused for another %s.", answer.RoundedUp(left))}
	}
	return r
}

// failureKeysOf returns the keys under which failures of the call are counted.
// They are made of the canonical arguments, or of the raw bytes if they cannot
// be read.
func failureKeysOf(who identified, args *bound.Arguments) *failureKeys {
	what, arguments := "unread", []byte(who.req.Arguments)
	if args != nil {
		what, arguments = "call", args.Canonical
		if args.DryRun {
			what = "dry run"
		}
	}
	digest, scope := who.engine.ledger.Fingerprint(store.Key{}, arguments), who.scope()
	name := what + "\x00" + string(digest[:])
	keys := &failureKeys{counts: scope.Key("failures\x00" + name)}
	if who.tool.IsRead {
		keys.pause = scope.Key("pause after failures\x00" + name)
	}
	return keys
}

// lookUp queries the failures of the call. If they use up the budget, a call
// that may have an effect is refused until their window is over. A read is
// refused only during a pause.
func (f *failures) lookUp(in arrival) standing {
	failed := counted(in, func(ctx context.Context, s store.Store) (store.Count, error) { return s.Max(ctx, f.keys.counts) })
	usedUp := failed.Highest >= int64(in.budget().Failures)
	now := standing{before: failed.Highest > 0, usedUp: usedUp, refused: usedUp, left: failed.WindowLeft}
	if usedUp && in.tool.IsRead {
		paused := counted(in, func(ctx context.Context, s store.Store) (store.Count, error) { return s.Max(ctx, f.keys.pause) })
		now.refused, now.left = paused.Highest > 0, min(now.left, paused.WindowLeft)
	}
	return now
}

// counted runs an operation on the counts. If the store cannot be reached, it
// returns zero. If the caller disconnects, the call is still counted, and that
// is not an outage.
func counted[T any](in arrival, operation func(context.Context, store.Store) (T, error)) T {
	var none T
	n, err := operation(context.WithoutCancel(in.ctx), in.engine.ledger)
	if err != nil {
		in.log.Note(err)
		return none
	}
	return n
}

// countFailure counts how a call ended. If a call that did not run exceeds the
// budget, the answer becomes retry_budget_exhausted. Only failures that depend
// on the arguments count, and no refusals before the arguments were read.
func countFailure(u understood, f failures, claimed, ran bool, result *exchange.Result) *exchange.Result {
	if !hasBudget(u.identified) {
		return result
	}
	switch o := &result.Outcome; {
	case o.Code == contract.CodeRetryBudgetExhausted || o.RetryAfterMs > 0 || isOfRecord(o.Code) || isOfCaller(o.Code):
	case o.Status == contract.StatusError:
		if f.keys == nil {
			f = failures{keys: failureKeysOf(u.identified, u.args)}
		}
		if f.add(u.arrival, o.Code) && !ran { // a call that ran keeps its answer
			return u.tool.Refused(exhausted(u.arrival, f.lookUp(u.arrival).left))
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		if f.before && !claimed { // the completion of a claimed call resets the count itself
			counted(u.arrival, func(ctx context.Context, s store.Store) (struct{}, error) {
				return struct{}{}, s.Reset(ctx, f.keys.counts)
			})
		}
	}
	return result
}

// kindPause is the kind of event that is counted during a pause.
const kindPause = "failed"

// add counts a failure and reports whether it exceeds the budget. A failure of
// a read begins a pause if the budget is used up. Only a failure during a pause
// exceeds the budget of a read.
func (f *failures) add(in arrival, code string) (exceeds bool) {
	b := in.budget()
	n := counted(in, func(ctx context.Context, s store.Store) (int64, error) {
		return s.Add(ctx, f.keys.counts, code, b.Window)
	})
	exceeds = n > int64(b.Failures)
	if in.tool.IsRead && (f.usedUp || n >= int64(b.Failures)) {
		paused := counted(in, func(ctx context.Context, s store.Store) (int64, error) {
			return s.Add(ctx, f.keys.pause, kindPause, b.pause())
		})
		exceeds = exceeds && paused > 1
	}
	return exceeds
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
