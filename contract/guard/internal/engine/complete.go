package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/results"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
)

// complete records how a claimed call ended, even if its caller has
// disconnected. If the write fails, the caller still gets the true result, the
// audit event has notPersisted, and the write is retried for a while.
func complete(a agreed, held claim, ex running.Execution, f failures, result *exchange.Result) {
	if ex.Abandoned {
		return // an abandoned handler is still running, and completes the record later
	}
	if !ex.Ran {
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
	a.log.NoteNotPersisted()
	a.log.Note(err)
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
	g.running.KeepTrying(running.Retry{Write: write, Ended: held.renewal.stop})
}

// isReleased reports whether the claim of a call is released, as if it had not
// been made. Its handler asked for an input, or an adapter refused its
// arguments. Or it failed with a declared retryable failure that has no effect,
// or it is a read whose caller can ask for less. A person's answer allows one
// execution, however it ends, so a call whose key is an answer is not released
// for the last two reasons.
func isReleased(a agreed, ex running.Execution, result *exchange.Result) bool {
	if results.AskedForInput(ex.Err) != nil {
		return true
	}
	if ex.Err == nil {
		return !a.key.IsZero() && result.Outcome.Code == contract.CodeResultTooLarge && result.Outcome.Class == contract.ClassRetryable
	}
	e, ok := errors.AsType[*running.HandlerError](ex.Err)
	if !ok {
		return false
	}
	if e.Refusal != nil {
		return result.Outcome.Code == contract.CodeInvalidInput
	}
	mode := a.tool.Mode(result.Outcome.Code)
	return !a.key.IsZero() && a.tool.FailedAsDeclared(ex.Err) && mode.Class == contract.ClassRetryable && !mode.EffectPossible
}

// completion describes how the call ended. A result is an outcome, even if
// output_invalid or result_too_large replaces it, and so is a declared fatal
// failure. Every other end leaves the outcome unknown.
func completion(a agreed, held claim, ex running.Execution, f failures, result *exchange.Result) store.Completion {
	done := store.Completion{Key: a.keyOf(), Owner: held.owner, State: store.Unknown, Retention: a.retention()}
	failed := result.Outcome.Status == contract.StatusError && a.tool.HasFailed(ex)
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
	case a.tool.FailedAsDeclared(ex.Err) && (result.Outcome.Class == contract.ClassFatal || a.key.IsZero()):
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
func replayTime(a agreed, ex running.Execution, retention time.Duration) time.Duration {
	t, in, out := a.tool.Half, a.args.Canonical, ex.Out
	if !t.Facts().Has.ReplayUntil {
		return retention
	}
	end, err := contain.Author(a.ctx, a.engine.authors, func(context.Context) (time.Time, error) { return t.ReplayUntil(in, out) })
	if err != nil || end.IsZero() {
		return retention
	}
	return min(retention, time.Until(end))
}
