package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A claim is the result of the stage Begin: the record belongs to this call.
// The zero value means that the call claimed nothing.
type claim struct {
	held         bool
	callID       string // the call that the person agreed to. Empty: the call keeps its own id
	owner        store.Owner
	renewal      *renewal
	spentPreview bool // the claim spent the token of the preview in the same step
	earlier      unresolved
}

// begin claims a call that has a key, and answers for a call that was claimed
// before. If no person is asked about the call, this is its only query of the
// record, and the last step before its handler.
func begin(a agreed, f failures) (claim, *answer.Answer) {
	if key := a.keyOf(); key.IsZero() {
		return claim{}, nil
	}
	f = f.atClaim(a.understood)
	held, began := claim{owner: store.NewOwner(), spentPreview: a.grant.IsZero()}, time.Now()
	result, err := a.tryClaim(&held, f.limit(a.arrival))
	if err == nil && result.Status == store.NonceSpent && a.grant.IsZero() {
		if !a.waives(facts.ClauseDryRun) {
			return claim{}, dryRunRequired(errSpentToken)
		}
		a.preview = previewToken{}
		result, err = a.tryClaim(&held, f.limit(a.arrival))
	}
	if err != nil {
		if !ledger.WasNotSent(err) { // the claim may have been recorded
			withdraw(a, held, began)
		}
		return claim{}, storeFailed(a, err)
	}
	if result.Status == store.NonceSpent && a.round != nil {
		return claim{}, roundSpent()
	}
	if result.Status == store.NonceSpent {
		return claim{}, &answer.Answer{Again: true}
	}
	if result.Status == store.Exhausted {
		return claim{}, &answer.Answer{Refusal: exhausted(a.arrival, f.lookUp(a.arrival).left), Stage: facts.StageBudget}
	}
	if r := repeated(result); r != nil {
		return claim{}, r
	}
	if !a.grant.IsZero() {
		held.callID = a.grant.CallID
	}
	held.held = true
	held.renewal = a.keepAlive(held.owner)
	return held, nil
}

// withdraw gives up a claim that the store did not answer, so that the same
// call can be made again with the same approval. The first attempt takes only
// the time that the claim has left of the store's timeout.
func withdraw(a agreed, held claim, began time.Time) {
	write := a.giveUp(held)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(a.ctx), began.Add(a.engine.ledger.Timeout()))
	defer cancel()
	if write(ctx) != nil { // also if there is no record, because the claim may still arrive
		a.engine.running.KeepTrying(running.Retry{Write: write, Late: true, Ended: func() {}})
	}
}

// tryClaim claims the record in the store. If the claim is refused, tryClaim
// reads the record, because only the guard knows whether an earlier call holds
// the key.
func (a *agreed) tryClaim(held *claim, budget store.Budget) (store.ClaimResult, error) {
	wanted := a.claim(held.owner)
	wanted.Start, wanted.Budget = !a.tool.AsksPeople, budget
	result, err := a.engine.ledger.Claim(a.ctx, wanted)
	if err != nil || result.Status != store.Conflicting && (result.Status != store.Abandoned || a.key.IsZero()) {
		return result, err
	}
	record, err := a.record()
	if err != nil {
		return store.ClaimResult{}, err
	}
	result, next := a.inspect(record)
	if result.Status != store.Claimed {
		return result, nil
	}
	if record.State != store.NoRecord {
		wanted.Fingerprint, wanted.Replaces, held.earlier = next.fingerprint, next.replaces, next.earlier
	}
	return a.engine.ledger.Claim(a.ctx, wanted)
}

// mark records that a claimed call is about to start. It is a separate step if
// another stage may end the call after its claim. A claim that is lost there
// must not count as an execution.
func mark(a agreed, held claim) *answer.Answer {
	if !held.held {
		return nil
	}
	if err := a.engine.ledger.Mark(a.ctx, a.keyOf(), held.owner); err != nil {
		return answer.Refuse(answer.Unavailable("the record of calls cannot be reached").Because(err))
	}
	return nil
}

// claim returns the call's request to the store. Until the call is completed,
// the record exists for longer than its lease can be renewed, so that an
// abandoned record is still found.
func (a *agreed) claim(owner store.Owner) store.Claim {
	lease := a.engine.ledger.Lease()
	return store.Claim{
		Key: a.keyOf(), Owner: owner, Fingerprint: a.fingerprint(),
		Lease: lease, Retention: a.retention() + a.renewTime() + lease, Nonce: a.nonce(),
		Rerun: a.reruns(),
	}
}

// nonce is what the claim spends: the approval, else the token of the preview.
// Zero: it spends nothing.
func (a *agreed) nonce() store.Nonce { return cmp.Or(a.grant.Nonce, a.preview.nonce) }

func (a *agreed) fingerprint() store.Digest {
	return a.engine.ledger.Fingerprint(a.keyOf(), a.args.Canonical)
}

// reruns reports whether the call runs if the outcome of an equal earlier call
// is unknown.
func (a *agreed) reruns() bool {
	return !a.key.IsZero() && a.tool.Doc.Idempotency.OnUnknown == idempotency.Rerun
}

// retention is how long the outcome is kept. The contract declares it for a
// deduplicated call. For other calls it is the time for which the person's
// answer counts.
func (a *agreed) retention() time.Duration {
	if a.key.IsZero() {
		return a.grant.Nonce.TTL
	}
	return a.tool.Doc.Idempotency.Retention
}

// storeFailed answers if the record can neither be read nor claimed. Nothing
// runs then, unless the guard fails open.
func storeFailed(a agreed, err error) *answer.Answer {
	if errors.Is(err, store.ErrFull) {
		return answer.Refuse(recordFull(err))
	}
	unbound := !a.key.IsZero() && a.grant.IsZero() && a.preview.nonce.Key.IsZero() // the call spends no answer and no preview
	if a.engine.config.FailOpen && unbound && !a.doc.Effect.AtLeast(risk.HighRiskWrite) {
		a.log.Blame(err)
		a.log.NoteNotPersisted()
		return nil
	}
	return answer.Refuse(answer.Unavailable("the record of calls cannot be reached").Because(err))
}

// recordFull refuses a call for whose record there is no room. The delay comes
// from the store, if the store knows one.
func recordFull(err error) *answer.Refusal {
	r := answer.Unavailable("the record of calls is full").Because(err)
	if full, ok := errors.AsType[*store.FullError](err); ok {
		r.RetryAfter = max(r.RetryAfter, full.RetryAfter)
	}
	return r
}

// release returns the store operation that releases the claim of a call. The
// approval or the preview that the claim spent stays spent, because the handler
// has run.
func (a *agreed) release(held claim) func(context.Context) error {
	return a.releasing(held, store.Key{})
}

// giveUp returns the store operation that releases the claim of a call whose
// handler never ran. The approval or the preview counts as unspent again,
// unless the record remembers earlier executions.
func (a *agreed) giveUp(held claim) func(context.Context) error {
	return a.releasing(held, a.nonce().Key)
}

func (a *agreed) releasing(held claim, nonce store.Key) func(context.Context) error {
	l := a.engine.ledger
	if len(held.earlier) > 0 {
		if done, ok := a.remember(held.owner, held.earlier); ok {
			return func(ctx context.Context) error { return l.Complete(ctx, done) }
		}
	}
	r := store.Release{Key: a.keyOf(), Owner: held.owner, Nonce: nonce}
	return func(ctx context.Context) error { return l.Release(ctx, r) }
}
