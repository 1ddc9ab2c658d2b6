package records

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/store"
)

// An Atomic is a claimed call whose handler writes in the transaction that
// records its success. It is safe for concurrent use.
type Atomic struct {
	ledger *ledger.Ledger
	key    store.Key
	owner  store.Owner

	mu      sync.Mutex
	tx      *ledger.Transaction // that of the last run; nil before the first
	runs    int                 // how often the handler has begun
	over    bool                // no other run begins
	givenUp bool                // its writes were undone before the handler ended
}

// maxRuns caps how often a handler runs if the database keeps aborting its
// transaction in favor of another.
const maxRuns = 3

// pause is the shortest wait after a first conflict.
const pause = 20 * time.Millisecond

// Run runs a handler with its transaction, and again with a fresh one after a
// conflict with another transaction.
func (a *Atomic) Run(ctx context.Context, handler func(ctx context.Context, failed func(error)) running.Ended) running.Ended {
	for {
		tx := a.begin()
		if tx == nil {
			return running.Closed()
		}
		ended := handler(tx.Context(ctx), tx.Failed)
		if ctx.Err() != nil || !a.mayRunAgain(tx.Err()) {
			return ended
		}
		tx.Rollback()
		if !a.mayRunAgain(tx.Err()) { // the handler had ended its transaction
			return ended
		}
		select {
		case <-time.After(a.pause()):
		case <-ctx.Done():
			return ended
		}
	}
}

// mayRunAgain reports whether an error is a conflict after which the handler
// may run once more.
func (a *Atomic) mayRunAgain(err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Is(err, store.ErrBusy) && a.runs < maxRuns
}

// pause returns how long to wait after a conflict. It is random, so that two
// handlers do not collide again.
func (a *Atomic) pause() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Duration(a.runs) * (pause + rand.N(pause))
}

// RunsAgain reports whether the handler of a call runs again, because its
// commit lost a conflict with another transaction. It pauses first.
func (r *Records) RunsAgain(claim *Claim, refused *answer.Refusal) bool {
	a := claim.Atomic
	if refused == nil || !claim.undone || !a.mayRunAgain(refused.Cause) {
		return false
	}
	time.Sleep(a.pause())
	claim.undone = false
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = false // a guard that has given up grants no slot for the run
	return true
}

// begin returns a fresh transaction, or nil if the call is over.
func (a *Atomic) begin() *ledger.Transaction {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return nil
	}
	a.runs++
	a.tx = a.ledger.Transaction(a.key, a.owner)
	return a.tx
}

// last returns the transaction of the last run, or nil if there was none. No
// run begins after that.
func (a *Atomic) last() *ledger.Transaction {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	return a.tx
}

// Begun reports whether the handler has asked for its transaction in its last
// run.
func (a *Atomic) Begun() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tx != nil && a.tx.Begun()
}

// GiveUp undoes the writes of a handler that is still running. The handler can
// no longer write.
func (a *Atomic) GiveUp() {
	tx := a.last()
	a.mu.Lock()
	a.givenUp = true
	a.mu.Unlock()
	if tx != nil {
		tx.Rollback()
	}
}

func (a *Atomic) wasGivenUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.givenUp
}

var (
	errUndone  = errors.New("the transaction of the call was not committed")
	errUnknown = errors.New("the store did not answer whether the transaction of the call was committed")
)

// EndTransaction commits what the handler of an atomic tool has written,
// together with the record of its success. If the call did not succeed, it
// undoes the writes. The refusal replaces the result of a call that could not
// be committed.
func (r *Records) EndTransaction(
	ctx context.Context, e *CallEntry, claim *Claim, end End, counted *access.FailureCount,
) *answer.Refusal {
	tx := claim.Atomic.last()
	switch {
	case claim.Atomic.wasGivenUp():
		claim.undone = true
		return answer.Closing().Because(running.ErrGivenUp)
	case tx == nil:
		return nil
	}
	o := &end.Result.Outcome
	if o.Status != contract.StatusOK || tx.Err() != nil {
		tx.Rollback()
		if err := tx.Err(); err != nil && o.Code != contract.CodeTimeout && o.Status != contract.StatusCancelled {
			return claim.refuseUncommitted(err)
		}
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	done := r.completion(ctx, e, claim, end, counted)
	err := tx.Commit(ctx, done)
	switch {
	case err == nil:
		return claim.settleCommitted()
	case !ledger.IsOutage(err):
		tx.Rollback()
		return claim.refuseUncommitted(err)
	}
	return r.settleCommit(ctx, e, claim, tx, err)
}

// settleCommit finds out whether an unanswered commit took place. Releasing the
// record waits for the transaction. Once the record is released, the
// transaction can no longer be committed.
func (r *Records) settleCommit(
	ctx context.Context, e *CallEntry, claim *Claim, tx *ledger.Transaction, cause error,
) *answer.Refusal {
	go tx.Rollback() // it may hang
	write := r.releaseWrite(e, claim, e.Nonce().Key)
	err := write(ctx)
	if err == nil && len(claim.earlier) == 0 {
		claim.settled = true
		claim.renewal.stop()
		return refuseUndone(errors.Join(errUndone, cause))
	}
	var record store.Record
	if err == nil || errors.Is(err, store.ErrLost) {
		record, err = tx.Record(ctx)
	}
	switch {
	case err != nil:
		e.Journal.NoteNotPersisted()
		claim.settled = true
		r.running.KeepTrying(running.Retry{Write: write, Ended: claim.renewal.stop})
		return answer.Unavailable("the store does not answer; repeat the call: it runs, or its result is replayed").
			Because(errors.Join(errUnknown, cause, err))
	case record.Owner == claim.owner && record.State == store.Completed:
		return claim.settleCommitted()
	}
	return claim.refuseUncommitted(errors.Join(store.ErrLost, cause))
}

// settleCommitted settles the claim of a committed call. It returns no refusal.
func (c *Claim) settleCommitted() *answer.Refusal {
	c.settled = true
	c.renewal.stop()
	return nil
}

// refuseUncommitted refuses a call that committed nothing. If another execution
// has taken over its record, the outcome of that one is the answer.
func (c *Claim) refuseUncommitted(err error) *answer.Refusal {
	if errors.Is(err, store.ErrEnded) {
		c.settled = true
		c.renewal.stop()
		return answer.NewRefusal(contract.CodeOutcomeUnknown, "").Because(err)
	}
	refused := refuseUndone(errors.Join(errUndone, err))
	if errors.Is(err, store.ErrInvalid) { // it would fail again
		refused = answer.NewRefusal(contract.CodeInternalError, "").Because(errors.Join(errUndone, err))
	}
	if errors.Is(err, store.ErrLost) {
		c.settled = true
		c.renewal.stop()
		return refused.OrReplay()
	}
	c.undone = true
	return refused
}

func refuseUndone(cause error) *answer.Refusal {
	return answer.Unavailable("the database did not accept the call; nothing was done").Because(cause)
}
