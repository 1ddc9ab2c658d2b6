package records

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// A Claim is a call's claim on its record. The zero value claims nothing.
type Claim struct {
	IsHeld       bool
	CallID       string // the call that the person agreed to. Empty: the call keeps its own id
	SpentPreview bool   // the claim spent the token of the preview in the same step

	// Atomic has the transaction of the handler. Nil: the tool is not atomic.
	Atomic *Atomic

	// Execution is what the record's owner encodes about the call.
	operation.Execution

	owner   store.Owner
	began   time.Time
	renewal *renewal
	earlier unresolved
	settled bool // the record has its outcome, or belongs to another call
	undone  bool // nothing was committed, and not because of the handler
}

// Mark records that a claimed call is about to start. It is a separate step if
// another stage may end the call after its claim, because a claim that is lost
// in between must not count as an execution. An atomic call needs no mark: it
// has an effect only together with its outcome.
func (r *Records) Mark(ctx context.Context, e *CallEntry, claim *Claim) *answer.Refusal {
	if !claim.IsHeld || claim.Atomic != nil {
		return nil
	}
	if err := r.ledger.Mark(ctx, e.ID(), claim.owner); err != nil {
		return answer.Unavailable("the record of calls cannot be reached").Because(err)
	}
	return nil
}

// releaseWrite returns the store operation that releases the claim of a call.
// The nonce counts as unspent again, unless the record remembers earlier
// executions or generations. With the zero key, what the claim spent stays spent.
func (r *Records) releaseWrite(e *CallEntry, claim *Claim, nonce store.Key) func(context.Context) error {
	l := r.ledger
	atomic := claim.Atomic != nil
	if len(claim.earlier) > 0 || claim.Generation > 0 && !atomic {
		if done, ok := r.remember(e, claim.owner, claim.earlier); ok {
			return func(ctx context.Context) error { return l.Complete(ctx, done) }
		}
	}
	released := store.Release{Key: e.ID(), Owner: claim.owner, Nonce: nonce}
	return func(ctx context.Context) error {
		err := l.Release(ctx, released)
		if err == nil && claim.Generation > 0 {
			err = r.free(ctx, e.Key, e.Tool, store.Owner{}, claim.Generation)
		}
		return err
	}
}
