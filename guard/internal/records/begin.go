package records

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/dryruns"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// Begin claims a call that has a key, or answers for it if an identical call
// was claimed before. If no person is asked about the call, this is its only
// query of the record, and the last step before its handler. The ending has
// Again set if another call has spent what this call wants to spend.
func (r *Records) Begin(ctx context.Context, e *CallEntry, failed *access.FailureCount) (Claim, *answer.Ending) {
	if e.ID().IsZero() {
		return Claim{}, nil
	}
	claim := Claim{owner: e.owner(operation.Execution{}), began: time.Now(), SpentPreview: e.Grant.IsZero()}
	limit := failed.Limit()
	found, err := r.try(ctx, e, &claim, limit)
	if err == nil && found.Status == store.NonceSpent && e.Grant.IsZero() {
		if !e.Journal.Waives(facts.ClauseDryRun) {
			return Claim{}, answer.Refuse(dryruns.RefuseSpent())
		}
		e.Preview = store.Nonce{}
		found, err = r.try(ctx, e, &claim, limit)
	}
	if err != nil {
		if !ledger.WasNotSent(err) && !errors.Is(err, errUnchecked) { // the claim may have been recorded
			r.withdraw(ctx, e, &claim)
		}
		return Claim{}, r.unreachable(e, err)
	}
	switch found.Status { //nolint:exhaustive // repeated knows the others
	case store.NonceSpent:
		return Claim{}, &answer.Ending{Again: true}
	case store.Exhausted:
		return Claim{}, &answer.Ending{Refusal: failed.Exhausted(ctx), Stage: facts.StageBudget}
	}
	if again := answerRepeated(e, found); again != nil {
		return Claim{}, again
	}
	if !e.Grant.IsZero() {
		claim.CallID = e.Grant.CallID
	}
	claim.IsHeld = true
	if e.Tool.IsAtomic() {
		claim.Atomic = &Atomic{ledger: r.ledger, key: e.ID(), owner: claim.owner}
	}
	renewal := &renewal{
		ledger: r.ledger, running: r.running, ctx: ctx, key: e.ID(), owner: claim.owner, until: time.Now().Add(e.RenewTime()),
		handler: e.Handler,
	}
	if e.reconciles() {
		key := e.Key
		r.handlers.add(key, 1)
		renewal.ended = func() { r.handlers.add(key, -1) }
	}
	claim.renewal = renewal.start()
	if limit == (store.Budget{}) {
		if refused := failed.CheckAgain(ctx); refused != nil { // the call's end releases the claim
			return claim, &answer.Ending{Refusal: refused, Stage: facts.StageBudget}
		}
	}
	return claim, nil
}

// withdraw releases a claim that the store did not answer, so that the same
// call can be made again with the same approval. The first attempt takes only
// what the claim has left of the store's timeout.
func (r *Records) withdraw(ctx context.Context, e *CallEntry, claim *Claim) {
	write := r.releaseWrite(e, claim, e.Nonce().Key)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), claim.began.Add(r.ledger.Timeout()))
	defer cancel()
	if write(ctx) != nil { // also if there is no record, because the claim may still arrive
		r.running.KeepTrying(running.Retry{Write: write, Late: true, Ended: func() {}})
	}
}

// maxTries caps how often a call looks at a record that others change.
const maxTries = 3

// try claims the record in the store. If the claim is refused, try reads the
// record. Only the guard knows whether an earlier call keeps the key from this
// one, whether its result still holds, how long a running call may take, and
// whether the system behind the tool knows what became of it.
func (r *Records) try(ctx context.Context, e *CallEntry, claim *Claim, limit store.Budget) (finding, error) {
	wanted := r.claimFor(e, claim.owner)
	wanted.Start = !e.Tool.AsksPeople && !e.Tool.IsAtomic()
	wanted.Budget = limit
	for range maxTries {
		result, err := r.ledger.Claim(ctx, wanted)
		if err != nil || !e.needsRecord(result.Status) {
			return r.withoutRecord(e, result), err
		}
		record, err := r.find(ctx, e)
		switch {
		case err != nil && result.Status == store.Running:
			return r.withoutRecord(e, result), nil
		case err != nil:
			return finding{}, errors.Join(errUnchecked, err)
		}
		found, err := r.inspectOrAsk(ctx, e, record)
		if err != nil || found.Status != store.Claimed {
			return found, err
		}
		if found.Ends {
			same, err := r.end(ctx, e, record)
			if err != nil {
				return finding{}, errors.Join(errUnchecked, err)
			}
			if !same { // the answer is old
				e.Allowed = nil
				continue
			}
		}
		claim.earlier, claim.Execution = found.Earlier, found.Execution
		claim.owner = e.owner(found.Execution)
		wanted.Owner, wanted.Fingerprint = claim.owner, found.Fingerprint
		wanted.Replaces, wanted.Rerun = found.Replaces, found.Rerun
	}
	return finding{ClaimResult: store.ClaimResult{Status: store.Running}, delay: shortestDelay}, nil
}

// withoutRecord returns the answer to a claim whose record was not read.
func (r *Records) withoutRecord(e *CallEntry, result store.ClaimResult) finding {
	return finding{ClaimResult: result, delay: r.delay(e, result.LeaseLeft, 0)}
}

// needsRecord reports whether the record shows more about a claim that the
// store refused with this status.
func (e *CallEntry) needsRecord(status store.ClaimStatus) bool {
	switch status { //nolint:exhaustive // the others are final
	case store.Conflicting, store.Running:
		return true
	case store.Abandoned:
		return !e.Key.IsZero()
	case store.Finished:
		return e.mayEnd()
	}
	return false
}
