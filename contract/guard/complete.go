package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
)

// Writes that failed are tried again, with growing pauses.
const (
	recordAttempts   = 6
	recordFirstPause = 250 * time.Millisecond
	// recordRetries bounds the calls that have something left to record. During
	// an outage the other calls are left to their leases.
	recordRetries = 1024
)

// complete records how a claimed call ended, whether or not its caller still
// listens. The caller gets the true result even if that fails. The audit event
// has notPersisted then, and the attempts go on for a while.
func complete(a agreed, held claim, ex execution, f failures, result *Result) {
	if !held.held || ex.abandoned {
		return // an abandoned handler is still running, and will complete
	}
	if !ex.ran || isReleased(a, ex, result) {
		write := a.release(held.owner)
		settleRecord(a.guard, held, write(context.WithoutCancel(a.ctx)), write)
		return
	}
	l, done := a.guard.ledger, completion(a, held, ex, f, result)
	write := func(ctx context.Context) error { return l.Complete(ctx, done) }
	err := write(context.WithoutCancel(a.ctx))
	if err != nil {
		a.log.notPersisted = true
		a.log.note(err)
	}
	settleRecord(a.guard, held, err, write)
}

// settleRecord ends the renewals once the store has an answer. Until then the
// claim is kept, because this process knows how the call ended.
func settleRecord(g *Guard, held claim, err error, write func(context.Context) error) {
	if err == nil || errors.Is(err, store.ErrLost) {
		held.renewal.stop()
		return
	}
	g.keepTrying(retry{write: write, ended: held.renewal.stop})
}

// isReleased reports whether a call is as if it had not been made: it failed in
// a way that the tool author declared, that may be retried, and that has no
// effect. An answer that is the key of its call is for one execution, however
// that ends.
func isReleased(a agreed, ex execution, result *Result) bool {
	e, ok := errors.AsType[*handlerError](ex.err)
	if !ok {
		return false
	}
	if e.refusal != nil {
		return result.Outcome.Code == contract.CodeInvalidInput
	}
	mode := a.tool.mode(result.Outcome.Code)
	return a.tool.isManaged() && failedAsDeclared(a.tool, ex.err) && mode.Class == contract.ClassRetryable && !mode.EffectPossible
}

// failedAsDeclared reports whether an error is one of the failures that the
// tool declares.
func failedAsDeclared(t *protectedTool, err error) bool {
	e, ok := errors.AsType[*handlerError](err)
	return ok && e.failure != nil && t.declares(e.failure.Code())
}

// completion describes how the call ended. A result is an outcome, even if it
// must not leave, and so is a declared failure that is final. The effect of
// every other end is unknown.
func completion(a agreed, held claim, ex execution, f failures, result *Result) store.Completion {
	done := store.Completion{Key: a.keyOf(), Owner: held.owner, State: store.Unknown, Retention: a.retention()}
	switch {
	case result.Outcome.Status == contract.StatusOK:
		done.State = store.Completed
		done.Retention = replayTime(a, ex, done.Retention)
		done.Forget = f.key
	case result.Outcome.Code == contract.CodeOutputInvalid,
		failedAsDeclared(a.tool, ex.err) && (result.Outcome.Class == contract.ClassFatal || !a.tool.isManaged()):
		done.State = store.Failed
	default:
		return done
	}
	done.Result = seal(a, result)
	return done
}

// replayTime is how long a result may be replayed: as long as the contract
// declares, or until the earlier time that the tool author's function returns.
func replayTime(a agreed, ex execution, retention time.Duration) time.Duration {
	until, in, out := a.tool.bound.ReplayUntil, a.args.In, ex.out
	if until == nil {
		return retention
	}
	end, err := contained(a.ctx, a.guard, func(context.Context) (time.Time, error) { return until(in, out), nil })
	if err != nil || end.IsZero() {
		return retention
	}
	return min(retention, time.Until(end))
}

// A retry repeats a write that failed.
type retry struct {
	write func(context.Context) error
	// late means that the write takes back what may still arrive at the store.
	// That it is not there is no answer before the server closes.
	late bool
	// ended is called when the write is no longer tried.
	ended func()
}

// keepTrying repeats a write with growing pauses, until the store has an
// answer, the attempts are used up, or Close stops waiting.
func (g *Guard) keepTrying(r retry) {
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
