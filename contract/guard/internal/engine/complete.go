package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/author"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
)

// Failed writes are retried, with growing pauses.
const (
	recordAttempts   = 6
	recordFirstPause = 250 * time.Millisecond
	// recordRetries bounds the calls whose writes are retried. During an outage
	// the records of all other calls stay as they are until their leases end.
	recordRetries = 1024
)

// complete records how a claimed call ended, even if its caller has
// disconnected. If the write fails, the caller still gets the true result, the
// audit event has notPersisted, and the write is retried for a while.
func complete(a agreed, held claim, ex execution, f failures, result *exchange.Result) {
	if ex.abandoned {
		return // an abandoned handler is still running, and completes the record later
	}
	if !ex.ran {
		write := a.giveUp(held)
		settleRecord(a.engine, held, write(context.WithoutCancel(a.ctx)), write)
		return
	}
	if isReleased(a, ex, result) {
		write := a.release(held)
		settleRecord(a.engine, held, write(context.WithoutCancel(a.ctx)), write)
		return
	}
	done := completion(a, held, ex, f, result)
	err := a.engine.ledger.Complete(context.WithoutCancel(a.ctx), done)
	if err == nil {
		held.renewal.stop()
		return
	}
	a.log.noteNotPersisted()
	a.log.note(err)
	completeLater(a.engine, held, err, done)
}

// completeLater retries a completion that failed.
func completeLater(g *Engine, held claim, err error, done store.Completion) {
	settleRecord(g, held, err, func(ctx context.Context) error { return g.ledger.Complete(ctx, done) })
}

// settleRecord ends the renewals once the store has an answer. Until then the
// claim is kept, because this process knows how the call ended.
func settleRecord(g *Engine, held claim, err error, write func(context.Context) error) {
	if err == nil || errors.Is(err, store.ErrLost) {
		held.renewal.stop()
		return
	}
	g.keepTrying(retry{write: write, ended: held.renewal.stop})
}

// isReleased reports whether the claim of a call is released, as if it had not
// been made. Its handler asked for an input, or an adapter refused its
// arguments. Or it failed with a declared retryable failure that has no effect,
// or it is a read whose caller can ask for less. A person's answer allows one
// execution, however it ends, so a call whose key is an answer is not released
// for the last two reasons.
func isReleased(a agreed, ex execution, result *exchange.Result) bool {
	if hasAsked(ex.err) != nil {
		return true
	}
	if ex.err == nil {
		return !a.key.IsZero() && result.Outcome.Code == contract.CodeResultTooLarge && result.Outcome.Class == contract.ClassRetryable
	}
	e, ok := errors.AsType[*handlerError](ex.err)
	if !ok {
		return false
	}
	if e.refusal != nil {
		return result.Outcome.Code == contract.CodeInvalidInput
	}
	mode := a.tool.Mode(result.Outcome.Code)
	return !a.key.IsZero() && failedAsDeclared(a.tool, ex.err) && mode.Class == contract.ClassRetryable && !mode.EffectPossible
}

// failedAsDeclared reports whether an error is one of the failures that the
// tool declares.
func failedAsDeclared(t *Tool, err error) bool {
	e, ok := errors.AsType[*handlerError](err)
	return ok && e.failure != nil && t.Declares(e.failure.Code())
}

// completion describes how the call ended. A result is an outcome, even if
// output_invalid or result_too_large replaces it, and so is a declared fatal
// failure. Every other end leaves the outcome unknown.
func completion(a agreed, held claim, ex execution, f failures, result *exchange.Result) store.Completion {
	done := store.Completion{Key: a.keyOf(), Owner: held.owner, State: store.Unknown, Retention: a.retention()}
	failed := result.Outcome.Status == contract.StatusError && hasFailed(a.tool, ex)
	switch {
	case result.Outcome.Status == contract.StatusOK:
		done.State = store.Completed
		done.Forget = f.atClaim(a.understood).keys.key()
		replayed := replayTime(a, ex, done.Retention)
		if replayed < done.Retention && len(held.earlier) > 0 {
			return done // without the record, the earlier executions would be forgotten
		}
		done.Retention = replayed
	case result.Outcome.Code == contract.CodeOutputInvalid || result.Outcome.Code == contract.CodeResultTooLarge:
		done.State = store.Completed
	case failedAsDeclared(a.tool, ex.err) && (result.Outcome.Class == contract.ClassFatal || a.key.IsZero()):
		done.State = store.Completed
		if failed {
			done.State = store.Failed
		}
	case failed && !a.key.IsZero():
		if kept, ok := a.remember(held.owner, append(slices.Clip(held.earlier), a.fingerprint())); ok {
			return kept
		}
		return done
	default:
		return done
	}
	if done.State == store.Failed && len(held.earlier) > 0 {
		if kept, ok := a.remember(held.owner, held.earlier); ok { // the failure itself had no effect
			return kept
		}
	}
	done.Result = seal(a, result)
	return done
}

// replayTime is how long a result may be replayed: as long as the contract
// declares, or until the earlier time that the tool author's function returns.
func replayTime(a agreed, ex execution, retention time.Duration) time.Duration {
	t, in, out := a.tool.Half, a.args.Canonical, ex.out
	if !t.Facts().Has.ReplayUntil {
		return retention
	}
	end, err := author.Contained(a.ctx, a.engine.authors, func(context.Context) (time.Time, error) { return t.ReplayUntil(in, out) })
	if err != nil || end.IsZero() {
		return retention
	}
	return min(retention, time.Until(end))
}

// A retry repeats a write that failed.
type retry struct {
	write func(context.Context) error
	// late means that the write undoes a claim that may still arrive at the
	// store. If the record is not there yet, the write is retried until the
	// server closes.
	late bool
	// ended is called when the write is no longer retried.
	ended func()
}

// keepTrying repeats a write with growing pauses, until the store has an
// answer, the attempts are used up, or Close stops waiting.
func (g *Engine) keepTrying(r retry) {
	select {
	case g.retrySlots <- struct{}{}:
	default:
		r.ended()
		return
	}
	g.handlers.Go(func() {
		defer func() { <-g.retrySlots }()
		defer r.ended()
		pause, closing := recordFirstPause, g.closing
		for range recordAttempts {
			select {
			case <-time.After(pause):
			case <-closing:
				closing, r.late = nil, false
			case <-g.gaveUp:
				return
			}
			err := r.write(context.Background())
			if err == nil || errors.Is(err, store.ErrLost) && !r.late || errors.Is(err, store.ErrInvalid) {
				return
			}
			pause *= 2
		}
	})
}
