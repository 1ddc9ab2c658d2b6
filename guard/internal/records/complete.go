package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/store"
)

// An End is how a claimed call ended.
type End struct {
	Execution running.Execution
	Result    *exchange.Result

	found bool // an earlier call had the success, and this one found it
}

// A Repeated is a call that may find out what became of an earlier one.
type Repeated interface {
	// Found returns the result of a call whose handler would have returned out.
	Found(out any) End
	// NoteFound writes the terminal event that the earlier call lacks.
	NoteFound(o *contract.Outcome)
	// Counted returns the count of failures, which a success resets.
	Counted() access.FailureCount
}

// Complete records how a claimed call ended, even if its caller has
// disconnected. If the write fails, the caller still gets the true result, the
// audit event has notPersisted, and the write is retried for a while. failed
// has the count of failures, which a success resets.
func (r *Records) Complete(ctx context.Context, e *CallEntry, claim *Claim, end End, failed *access.FailureCount) {
	ex := end.Execution
	if ex.Ran && !ex.Abandoned {
		e.Tool.Duration.Add(time.Since(claim.began))
	}
	switch {
	case claim.settled, claim.Atomic != nil && ex.Late:
		return
	case ex.Abandoned && claim.Atomic == nil: // the handler is still running, and completes the record later
		return
	case !ex.Ran || claim.undone: // the approval or the preview counts as unspent again
		r.release(ctx, claim, r.releaseWrite(e, claim, e.Nonce().Key))
		return
	case isReleased(e, end): // what the claim spent stays spent, because the handler has run
		r.release(ctx, claim, r.releaseWrite(e, claim, store.Key{}))
		return
	}
	done := r.completion(ctx, e, claim, end, failed)
	err := r.ledger.Complete(context.WithoutCancel(ctx), done)
	if err == nil {
		claim.renewal.stop()
		return
	}
	e.Journal.NoteNotPersisted()
	e.Journal.Note(err)
	r.settle(claim, err, func(ctx context.Context) error { return r.ledger.Complete(ctx, done) })
}

func (r *Records) release(ctx context.Context, claim *Claim, write func(context.Context) error) {
	r.settle(claim, write(context.WithoutCancel(ctx)), write)
}

// settle ends the renewals once the store has an answer to a write. Until then
// the claim is kept, because this process knows how the call ended.
func (r *Records) settle(claim *Claim, err error, write func(context.Context) error) {
	if err == nil || errors.Is(err, store.ErrLost) {
		claim.renewal.stop()
		return
	}
	r.running.KeepTrying(running.Retry{Write: write, Ended: claim.renewal.stop})
}

// isReleased reports whether the claim of a call is released, as if it had
// never been made: its handler asked for an input or a page, or got none, an
// adapter refused its arguments, it failed with a declared retryable failure
// without effects, or it is a read whose caller can ask for less. A person's
// answer allows one execution, however it ends, so the last two do not apply if
// the answer is the key. A failed atomic call had no effect, so only a declared
// fatal failure is its outcome.
func isReleased(e *CallEntry, end End) bool {
	ex, o := end.Execution, &end.Result.Outcome
	if ex.Kind == running.NeedsInput || exchange.AsksForPage(end.Result.RPC) {
		return true
	}
	if e.Tool.IsAtomic() {
		return ex.Abandoned || !results.FailedAsDeclared(e.Tool, &ex.Ended) || o.Class != contract.ClassFatal
	}
	if ex.Kind == running.Returned {
		return !e.Key.IsZero() && o.Code == contract.CodeResultTooLarge && o.Class == contract.ClassRetryable
	}
	if !ex.HasError() {
		return false
	}
	if ex.Kind == running.Refused {
		return o.Code == contract.CodeInvalidInput || ex.Wrapped.Unasked
	}
	mode := e.Tool.Mode(o.Code)
	return !e.Key.IsZero() && results.FailedAsDeclared(e.Tool, &ex.Ended) && mode.Class == contract.ClassRetryable &&
		!mode.EffectPossible
}

// completion describes how the call ended. A result is an outcome, even if
// output_invalid or result_too_large replaces it, and so is a declared fatal
// failure. Every other end leaves the outcome unknown.
func (r *Records) completion(
	ctx context.Context, e *CallEntry, claim *Claim, end End, counted *access.FailureCount,
) store.Completion {
	done := store.Completion{Key: e.ID(), Owner: claim.owner, State: store.Unknown, Retention: e.Retention()}
	known := e.knownRetention()
	ex, o := end.Execution, &end.Result.Outcome
	failed := o.Status == contract.StatusError && results.HasFailed(e.Tool, &ex)
	switch {
	case o.Status == contract.StatusOK:
		done.State = store.Completed
		done.Forget = counted.Forgotten()
		done.Retention = known
	case o.Code == contract.CodeOutputInvalid || o.Code == contract.CodeResultTooLarge:
		done.State = store.Completed
		done.Retention = known
	case results.FailedAsDeclared(e.Tool, &ex.Ended) && (o.Class == contract.ClassFatal || e.Key.IsZero()):
		done.State = store.Completed
		if failed {
			done.State = store.Failed
		}
		done.Retention = known
	case failed && !e.Key.IsZero() && !e.reconciles(): // otherwise the key is held until the system has been asked
		one := failedExecution{r.fingerprint(e, 0), claim.Of(e.Key.ID).Generation}
		if kept, ok := r.remember(e, claim.owner, append(slices.Clip(claim.earlier), one)); ok {
			return kept
		}
		return done
	default:
		return done
	}
	if done.State == store.Failed && len(claim.earlier) > 0 {
		if kept, ok := r.remember(e, claim.owner, claim.earlier); ok { // the failure itself had no effect
			return kept
		}
	}
	done.Result = r.seal(ctx, e, end, done.Retention)
	return done
}

// holdsFor returns how long the tool author's function lets a success be
// replayed. The record is kept for longer, because it remembers the generation.
// Zero: as long as the record is kept; negative: not at all.
func (r *Records) holdsFor(ctx context.Context, e *CallEntry, end End) time.Duration {
	t, in, out := e.Tool.Impl, e.Args.Canonical, end.Execution.Out
	if !t.Facts().Has.ReplayUntil || e.Key.IsZero() || end.Result.Outcome.Status != contract.StatusOK {
		return 0
	}
	until, err := contain.Author(ctx, r.authors, func(context.Context) (time.Time, error) { return t.ReplayUntil(in, out) })
	if err != nil || until.IsZero() {
		return 0
	}
	left := time.Until(until)
	if left <= 0 {
		return -1
	}
	return left
}
