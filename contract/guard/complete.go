package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
)

// What is left to record goes on being tried, with growing pauses.
const (
	recordAttempts   = 6
	recordFirstPause = 250 * time.Millisecond
)

// complete records how a managed call ended, whoever still listens. The caller
// gets the true result also where that fails; the audit event says so, and the
// attempt goes on for a while.
func (c *call) complete(result *Result) {
	if !c.claimed || c.abandoned {
		return // an abandoned handler is still running, and will complete
	}
	if !c.ran || c.released(result) {
		c.giveBack()
		return
	}
	completion := c.completion(result)
	l := c.set.guard.ledger
	write := func(ctx context.Context) error { return l.store.Complete(ctx, completion) }
	err := l.tell(context.WithoutCancel(c.ctx), write)
	if err != nil {
		c.notPersisted = true
		if c.cause == nil {
			c.cause = err
		}
	}
	c.settleRecord(err, write)
}

// settleRecord ends the renewals once the store has an answer: until then the
// claim is kept, for this process knows how the call ended.
func (c *call) settleRecord(err error, write func(context.Context) error) {
	if err == nil || errors.Is(err, store.ErrLost) {
		c.renewal.stop()
		return
	}
	c.set.guard.keepTrying(retry{write: write, ended: c.renewal.stop})
}

// released reports whether a call is as if it had not been made: it failed in a
// way that its author declared, that may be repeated, and that has no effect. An
// answer that is the key of its call is for one execution, however that ends.
func (c *call) released(result *Result) bool {
	e, ok := errors.AsType[*handlerError](c.err)
	if !ok {
		return false
	}
	if e.refusal != nil {
		return result.Outcome.Code == contract.CodeInvalidInput
	}
	mode := c.mode(result.Outcome.Code)
	return isManaged(c.entry) && c.failedAsDeclared() && mode.Class == contract.ClassRetryable && !mode.EffectPossible
}

// failedAsDeclared reports whether the handler returned one of the failures that the tool declares.
func (c *call) failedAsDeclared() bool {
	e, ok := errors.AsType[*handlerError](c.err)
	return ok && e.failure != nil && c.declares(e.failure.Code())
}

// completion says how the call ended. A result is an outcome, also one that
// must not leave, and so is a declared failure that is final; of everything else
// nobody knows what it did.
func (c *call) completion(result *Result) store.Completion {
	done := store.Completion{Key: c.key, Owner: c.owner, State: store.Unknown, Retention: c.retention()}
	switch {
	case result.Outcome.Status == contract.StatusOK:
		done.State = store.Completed
		done.Retention = c.replayTime(done.Retention)
		if c.forgetsInCompletion() {
			done.Forget = c.failuresKey()
		}
	case result.Outcome.Code == contract.CodeOutputInvalid,
		c.failedAsDeclared() && (result.Outcome.Class == contract.ClassFatal || !isManaged(c.entry)):
		done.State = store.Failed
	default:
		return done
	}
	done.Result = c.seal(result)
	return done
}

// replayTime is how long a result may be replayed: as long as the contract
// says, or until the earlier moment that the author's function names.
func (c *call) replayTime(retention time.Duration) time.Duration {
	until := c.entry.bound.ReplayUntil
	if until == nil {
		return retention
	}
	end, err := contained(c.ctx, c.set.guard, func(context.Context) (time.Time, error) { return until(c.args.In, c.out), nil })
	if err != nil || end.IsZero() {
		return retention
	}
	return min(retention, time.Until(end))
}

// giveBack releases the claim of a call that had no effect.
func (c *call) giveBack() {
	err := c.set.guard.ledger.tell(context.WithoutCancel(c.ctx), c.unclaim)
	c.settleRecord(err, c.unclaim)
}

func (c *call) unclaim(ctx context.Context) error {
	return c.set.guard.ledger.store.Release(ctx, c.key, c.owner)
}

// recordRetries is how many calls may have something left to record at once. In
// an outage the others are left to their leases.
const recordRetries = 1024

// A retry repeats what could not be recorded.
type retry struct {
	write func(context.Context) error
	// late says that what write takes back may yet arrive at the store: that it is
	// not there is no answer before the server closes.
	late bool
	// ended is called when nothing is tried any more.
	ended func()
}

// keepTrying repeats with growing pauses, until the store has an answer, the
// attempts are used up, or Close gives up waiting.
func (g *Guard) keepTrying(r retry) {
	select {
	case g.ledger.retries <- struct{}{}:
	default:
		r.ended()
		return
	}
	g.handlers.Go(func() {
		defer func() { <-g.ledger.retries }()
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
			err := g.ledger.tell(context.Background(), r.write)
			if err == nil || errors.Is(err, store.ErrLost) && !r.late || errors.Is(err, store.ErrInvalid) {
				return
			}
			pause *= 2
		}
	})
}
