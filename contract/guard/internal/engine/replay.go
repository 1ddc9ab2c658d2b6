package engine

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/store"
)

// repeatDelay is the delay that a caller gets while an equal call runs.
const repeatDelay = time.Second

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
		return answer.Refuse(answer.Later(contract.CodeKeyInProgress, "", repeatDelay))
	case store.Conflicting:
		return answer.Refuse(answer.NewRefusal(contract.CodeKeyConflict, ""))
	case store.Abandoned:
		return answer.Refuse(answer.NewRefusal(contract.CodeOutcomeUnknown, ""))
	case store.NonceSpent, store.Exhausted:
	}
	err := errors.New("the store gave an answer that fits no claim: " + r.Status.String())
	return answer.Refuse(answer.Unavailable("the record of earlier calls cannot be read").Because(err))
}
