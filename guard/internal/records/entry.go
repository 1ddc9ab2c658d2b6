// Package records finds the record of a call, decides what it means for an
// identical call, and replays it. It claims the record before a handler runs,
// keeps the claim alive, and completes or releases it.
package records

import (
	"cmp"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// Records are the records of the calls of a guard. [New] makes it.
type Records struct {
	ledger     *ledger.Ledger
	running    *running.Runner
	authors    contain.Slots // for functions of authors
	failOpen   bool
	handlers   handlers
	results    ledger.ValueSealer[StoredResult]
	unresolved ledger.ValueSealer[unresolved]
}

// New returns the records of a guard. With failOpen, calls up to a certain
// effect run even if the store cannot be reached.
func New(l *ledger.Ledger, running *running.Runner, authors contain.Slots, failOpen bool) *Records {
	return &Records{
		ledger: l, running: running, authors: authors, failOpen: failOpen, handlers: handlers{number: map[store.Key]int{}},
		results:    ledger.SealerOf[StoredResult](l, ledger.Results, strictjson.Unmarshal),
		unresolved: ledger.SealerOf[unresolved](l, ledger.Unresolved, strictjson.Unmarshal),
	}
}

// A CallEntry is what identifies a call's record, and what the call spends.
type CallEntry struct {
	facts.View

	// Key deduplicates the call. Zero: the call is not deduplicated.
	Key store.Key
	// Guessed means that all arguments are the key.
	Guessed bool
	// Grant is the approval that the call spends, and Preview the token of its
	// preview. Zero: none.
	Grant   consent.Grant
	Preview store.Nonce

	// Handler is the context of the handler, which ends once another execution
	// holds the record. The stage that claims sets it.
	Handler *contain.Context
	// CallID is the call that a person was first asked about, or this one.
	CallID string
	// Repeated asks what became of an earlier call, and Allowed is the answer
	// that lets this one run. Nil: nobody has asked yet, or the call must not
	// run.
	Repeated Repeated
	Allowed  *Allowed
}

// ID returns the key under which the call is claimed: the key that deduplicates
// it, or else the nonce of the answer that it spends, so that one answer has
// one outcome. It is zero if the call is not recorded.
func (e *CallEntry) ID() store.Key {
	if !e.Key.IsZero() {
		return e.Key
	}
	return e.Grant.Nonce.Key
}

// Nonce returns what the claim spends: the approval, or else the token of the
// preview. It is zero if the claim spends nothing.
func (e *CallEntry) Nonce() store.Nonce { return cmp.Or(e.Grant.Nonce, e.Preview) }

// Retention returns how long an unknown outcome is kept. For a deduplicated
// call the contract declares it. For other calls it is the time for which the
// person's answer counts.
func (e *CallEntry) Retention() time.Duration {
	if e.Key.IsZero() {
		return e.Grant.Nonce.TTL
	}
	return e.Tool.Doc.Idempotency.Retention
}

// knownRetention returns how long a known outcome is kept, which is shorter if
// the key was guessed.
func (e *CallEntry) knownRetention() time.Duration {
	if e.Guessed && !e.Key.IsZero() {
		return e.Tool.Doc.Idempotency.ArgumentsRetention
	}
	return e.Retention()
}

// renewedTimeouts bounds how long a claim is renewed, in timeouts of the
// handler.
const renewedTimeouts = 10

// RenewTime returns the longest time for which a claim is renewed: ten times
// the handler's timeout, or 10 minutes if it has none. So a hanging handler
// does not block its key forever.
func (e *CallEntry) RenewTime() time.Duration {
	if limit := e.Tool.Doc.Timeout; limit > 0 {
		return renewedTimeouts * limit
	}
	return running.DetachedDeadline
}

// reruns reports whether the call runs if the outcome of an earlier identical
// call is unknown.
func (e *CallEntry) reruns() bool {
	return !e.Key.IsZero() && e.Tool.Doc.Idempotency.OnUnknown == idempotency.Rerun
}

// reconciles reports whether a repeated call asks what became of an earlier
// one.
func (e *CallEntry) reconciles() bool { return !e.Key.IsZero() && e.Tool.Impl.Facts().Has.Reconcile }

// mayEnd reports whether the recorded result of a call with a key may cease to
// hold before its retention ends.
func (e *CallEntry) mayEnd() bool {
	has := &e.Tool.Impl.Facts().Has
	return !e.Key.IsZero() && (has.ReplayWhile || has.ReplayUntil)
}

// recordTTL returns how long an uncompleted record exists: longer than its
// lease can be renewed, so that an abandoned record is still found.
func (r *Records) recordTTL(e *CallEntry) time.Duration {
	return e.Retention() + e.RenewTime() + r.ledger.Lease()
}

// errUnchecked means that an earlier call has a record that cannot be read, or
// whose result may no longer hold. The call is neither replayed nor run.
var errUnchecked = errors.New("whether the recorded result still holds is not known")

// unreachable returns the ending of a call whose record can be neither read nor
// claimed. The call does not run, unless the guard fails open.
func (r *Records) unreachable(e *CallEntry, err error) *answer.Ending {
	if errors.Is(err, store.ErrFull) {
		return answer.Refuse(refuseFull(err))
	}
	if errors.Is(err, errUnchecked) { // the store was reached, so the call does not run without it
		return answer.Refuse(answer.Unavailable("the recorded result of the same call cannot be checked").Because(err))
	}
	spends := !e.Grant.IsZero() || !e.Preview.Key.IsZero()
	if r.failOpen && !spends && !e.Tool.IsAtomic() && !e.Doc.Effect.AtLeast(risk.HighRiskWrite) {
		e.Journal.Blame(err)
		e.Journal.NoteNotPersisted()
		return nil
	}
	return answer.Refuse(answer.Unavailable("the record of calls cannot be reached").Because(err))
}

// refuseFull refuses a call because there is no room for its record. A store
// that has reached its own bound knows the delay. Without a delay, its disk or
// its memory is full.
func refuseFull(err error) *answer.Refusal {
	full, ok := errors.AsType[*store.FullError](err)
	if !ok {
		return answer.Unavailable("the record of calls has no space").Because(err)
	}
	r := answer.Unavailable("the record of calls is full").Because(err)
	r.RetryAfter = max(r.RetryAfter, full.RetryAfter)
	return r
}
