package guard

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// repeatDelay is what a caller is told to wait for the same call's end.
const repeatDelay = time.Second

// replay looks a managed call up before anybody is asked about it: for what has
// an outcome already, nothing will happen.
func replay(c *call) *Result {
	record, err := c.recorded()
	if err != nil {
		return c.storeFailed(err)
	}
	return c.repeated(record.ClaimResult(c.claim().StatusFor(record, 0)))
}

func (c *call) recorded() (store.Record, error) {
	return ask(c.ctx, c.set.guard.ledger, func(ctx context.Context) (store.Record, error) {
		return c.set.guard.ledger.store.Get(ctx, c.key)
	})
}

// unlessDone refuses a call, but for one that has an outcome on record: that
// needs nothing of what is missing.
func (c *call) unlessDone(refusal *Result) *Result {
	if c.key.IsZero() || c.set.guard.skipped[stageBegin] {
		return refusal
	}
	record, err := c.recorded()
	if err != nil || c.claim().StatusFor(record, 0) != store.Finished {
		return refusal
	}
	return c.replayed(record.ClaimResult(store.Finished))
}

// begin claims a call that has a key, and answers for one that somebody else has
// claimed before. Where nobody may be asked about it this is its only look at
// the record, and the last thing before its handler.
func begin(c *call) *Result {
	if c.key.IsZero() {
		return nil
	}
	l := c.set.guard.ledger
	c.owner = store.NewOwner()
	claim := c.claim()
	claim.Start, claim.Budget = !c.set.guard.comesBack(c.entry), c.claimBudget()
	answer, err := ask(c.ctx, l, func(ctx context.Context) (store.ClaimResult, error) { return l.store.Claim(ctx, claim) })
	if err != nil {
		if !errors.Is(err, contain.ErrNoSlot) { // else nothing was sent
			c.set.guard.keepTrying(retry{write: c.unclaim, late: true, ended: func() {}}) // it may have been recorded
		}
		return c.storeFailed(err)
	}
	if answer.Status == store.NonceSpent && c.nonce.IsZero() {
		if c.waives(clauseDryRun) {
			c.dryNonce = store.Nonce{}
			return begin(c)
		}
		return c.dryRunRequired(errSpentToken)
	}
	if answer.Status == store.NonceSpent {
		return c.askAgain() // the person agreed to another call than this
	}
	if r := c.repeated(answer); r != nil {
		return r
	}
	c.claimed, c.drySpent = true, c.nonce.IsZero()
	if !c.nonce.IsZero() {
		c.id = c.questionID
	}
	c.renewal = c.keepAlive()
	return nil
}

// mark says in the record that a claimed call is about to start. It is a step of
// its own where a claim may wait for more than its handler: a claim that was
// lost is then not taken for an execution.
func mark(c *call) *Result {
	if !c.claimed {
		return nil
	}
	l := c.set.guard.ledger
	if err := l.tell(c.ctx, func(ctx context.Context) error { return l.store.Mark(ctx, c.key, c.owner) }); err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the record of calls cannot be reached", unavailableDelay)
	}
	return nil
}

// claim is what this call asks of the store. Until it is completed the record
// exists for longer than it can be renewed, so that an abandoned one is seen.
func (c *call) claim() store.Claim {
	lease := c.set.guard.ledger.lease
	return store.Claim{
		Key: c.key, Owner: c.owner, Fingerprint: c.fingerprint,
		Lease: lease, Retention: c.retention() + c.renewTime() + lease, Nonce: cmp.Or(c.nonce, c.dryNonce),
		Rerun: isManaged(c.entry) && c.entry.doc.Idempotency.OnUnknown == idempotency.Rerun,
	}
}

// retention is how long the outcome is kept: what the contract says, or as long
// as the answer counts that is the key of a call which has no other.
func (c *call) retention() time.Duration {
	if !isManaged(c.entry) {
		return c.nonce.TTL
	}
	return time.Duration(c.entry.doc.Idempotency.RetentionSeconds) * time.Second
}

// repeated answers for a call that was made before; nil: it was not.
func (c *call) repeated(a store.ClaimResult) *Result {
	switch a.Status {
	case store.Claimed:
		return nil
	case store.Finished:
		return c.replayed(a)
	case store.Running:
		return c.refuseLater(contract.CodeKeyInProgress, "", repeatDelay)
	case store.Conflicting:
		return c.refuse(contract.CodeKeyConflict, "")
	case store.Abandoned:
		return c.refuse(contract.CodeOutcomeUnknown, "")
	case store.Exhausted:
		c.at = stageBudget
		return c.exhausted()
	case store.UndeclaredClaimStatus, store.NonceSpent:
	}
	c.cause = errors.New("the store gave an answer that fits no claim: " + a.Status.String())
	return c.refuseLater(contract.CodeUnavailable, "the record of earlier calls cannot be read", unavailableDelay)
}

// storeFailed answers where the record could neither be read nor claimed:
// nothing runs, but where the guard was told that it may.
func (c *call) storeFailed(err error) *Result {
	c.cause = err
	if errors.Is(err, store.ErrFull) {
		return c.refuseLater(contract.CodeUnavailable, "the record of calls is full", unavailableDelay)
	}
	unbound := isManaged(c.entry) && c.nonce.IsZero() && c.dryNonce.IsZero() // no answer or preview is to be spent
	if c.set.guard.ledger.failOpen && unbound && !c.doc.Effect.AtLeast(risk.HighRiskWrite) {
		c.notPersisted = true
		return nil
	}
	return c.refuseLater(contract.CodeUnavailable, "the record of calls cannot be reached", unavailableDelay)
}
