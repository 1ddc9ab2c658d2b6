package engine

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// repeatDelay is the delay that a caller gets while an equal call runs.
const repeatDelay = time.Second

// renewedTimeouts bounds how long a claim is renewed, in timeouts of the
// handler.
const renewedTimeouts = 10

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

// replay looks for the outcome of a call with a key before a person is asked,
// because a call with an outcome does not run again.
func replay(a agreed) *answer.Answer {
	if a.key.IsZero() {
		return nil
	}
	record, err := a.record()
	if err != nil {
		return storeFailed(a, err)
	}
	return repeated(a.resultOf(record))
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

// resultOf returns the result that a claim of this call would get from a
// record.
func (a *agreed) resultOf(record store.Record) store.ClaimResult {
	result, _ := a.inspect(record)
	return result
}

// inspect returns the result that a claim of this call would get from a record,
// and how to take the record if the result is Claimed. A record whose
// fingerprint was made with a key that this guard lacks is never claimed,
// because its arguments cannot be compared.
func (a *agreed) inspect(record store.Record) (store.ClaimResult, takeover) {
	if record.State == store.NoRecord {
		return record.ClaimResult(store.Claimed), takeover{}
	}
	wanted := a.claim(store.Owner{})
	same, known := a.engine.ledger.Recognise(record.Fingerprint, wanted.Key, a.args.Canonical)
	if known && !a.key.IsZero() {
		if status, next, ok := a.afterFailure(record, same); ok {
			return record.ClaimResult(status), next
		}
	}
	if same || !known {
		wanted.Fingerprint = record.Fingerprint
	}
	wanted.Rerun = wanted.Rerun && same
	status := wanted.StatusFor(record, 0)
	if status == store.Claimed && !same {
		status = store.Conflicting
	}
	return record.ClaimResult(status), takeover{fingerprint: record.Fingerprint}
}

// mark records that a claimed call is about to start. It is a separate step if
// another stage may end the call after its claim. A claim that is lost there
// must not count as an execution.
func mark(a agreed, held claim) *answer.Answer {
	if !held.held {
		return nil
	}
	if err := a.engine.ledger.Mark(a.ctx, a.keyOf(), held.owner); err != nil {
		return answer.Refuse(refusal.Unavailable("the record of calls cannot be reached").Because(err))
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
	return time.Duration(a.tool.Doc.Idempotency.RetentionSeconds) * time.Second
}

// record returns the record of the call.
func (a *agreed) record() (store.Record, error) {
	return a.engine.ledger.Get(a.ctx, a.keyOf())
}

// recorded returns the outcome of an earlier equal call, or nil.
func (a *agreed) recorded() *store.ClaimResult {
	if key := a.keyOf(); key.IsZero() {
		return nil
	}
	record, err := a.record()
	if err != nil {
		return nil
	}
	result := a.resultOf(record)
	if result.Status != store.Finished {
		return nil
	}
	return &result
}

// repeated answers for a call that was made before. It returns nil for a new
// call.
func repeated(r store.ClaimResult) *answer.Answer {
	switch r.Status {
	case store.Claimed:
		return nil
	case store.Finished:
		recorded := r
		return &answer.Answer{Recorded: &recorded}
	case store.Running:
		return answer.Refuse(refusal.Later(contract.CodeKeyInProgress, "", repeatDelay))
	case store.Conflicting:
		return answer.Refuse(refusal.New(contract.CodeKeyConflict, ""))
	case store.Abandoned:
		return answer.Refuse(refusal.New(contract.CodeOutcomeUnknown, ""))
	case store.NonceSpent, store.Exhausted:
	}
	err := errors.New("the store gave an answer that fits no claim: " + r.Status.String())
	return answer.Refuse(refusal.Unavailable("the record of earlier calls cannot be read").Because(err))
}

// storeFailed answers if the record can neither be read nor claimed. Nothing
// runs then, unless the guard fails open.
func storeFailed(a agreed, err error) *answer.Answer {
	if errors.Is(err, store.ErrFull) {
		return answer.Refuse(recordFull(err))
	}
	unbound := !a.key.IsZero() && a.grant.IsZero() && a.preview.nonce.IsZero() // the call spends no answer and no preview
	if a.engine.config.FailOpen && unbound && !a.doc.Effect.AtLeast(risk.HighRiskWrite) {
		a.log.Blame(err)
		a.log.NoteNotPersisted()
		return nil
	}
	return answer.Refuse(refusal.Unavailable("the record of calls cannot be reached").Because(err))
}

// recordFull refuses a call for whose record there is no room. The delay comes
// from the store, if the store knows one.
func recordFull(err error) *refusal.Refusal {
	r := refusal.Unavailable("the record of calls is full").Because(err)
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

// A renewal keeps the claim of a running handler alive.
type renewal struct {
	engine *Engine
	ctx    context.Context
	key    store.Key
	owner  store.Owner
	until  time.Time

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// keepAlive renews the call's lease until stop, at most for ten times the
// handler's timeout, or 10 minutes if it has none. So a handler that hangs does
// not hold its key forever.
func (a *agreed) keepAlive(owner store.Owner) *renewal {
	r := &renewal{engine: a.engine, ctx: a.ctx, key: a.keyOf(), owner: owner, until: time.Now().Add(a.renewTime())}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.interval(), r.next)
	return r
}

// renewTime is how long a claim is renewed at most.
func (a *agreed) renewTime() time.Duration {
	if ms := a.tool.Doc.TimeoutMs; ms > 0 {
		return renewedTimeouts * time.Duration(ms) * time.Millisecond
	}
	return running.DetachedDeadline
}

func (r *renewal) interval() time.Duration { return r.engine.ledger.Lease() / ledger.Renewals }

// next renews the lease and starts the timer again, unless renew or stop ended
// the renewals.
func (r *renewal) next() {
	if !r.renew() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.timer.Reset(r.interval())
	}
}

// renew renews the lease and reports whether to renew it again later.
func (r *renewal) renew() bool {
	l := r.engine.ledger
	lease := min(l.Lease(), time.Until(r.until))
	if r.engine.running.HasGivenUp() || lease <= 0 { // the process ends and the handler with it, or the handler hangs
		return false
	}
	return !errors.Is(l.Renew(context.WithoutCancel(r.ctx), r.key, r.owner, lease), store.ErrLost)
}

func (r *renewal) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.timer.Stop()
}
