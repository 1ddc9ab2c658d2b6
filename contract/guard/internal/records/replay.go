package records

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/store"
)

// repeatDelay is the delay that a caller gets while an equal call runs.
const repeatDelay = time.Second

// Replay looks for the outcome of a call with a key before a person is asked,
// because a call with an outcome does not run again.
func (r *Records) Replay(ctx context.Context, e *Entry) *answer.Ending {
	if e.Key.IsZero() {
		return nil
	}
	record, err := r.find(ctx, e)
	if err != nil {
		return r.unreachable(e, err)
	}
	result, _, err := r.inspect(ctx, e, record)
	if err != nil {
		return r.unreachable(e, err)
	}
	return repeated(result)
}

// inspect returns the result that a claim of the call would get from a record,
// and how to take the record if the result is Claimed. A record whose
// fingerprint was made with a key that this guard lacks is never claimed,
// because its arguments cannot be compared. The error is errUnchecked.
func (r *Records) inspect(ctx context.Context, e *Entry, record store.Record) (store.ClaimResult, takeover, error) {
	if record.State == store.NoRecord {
		return record.ClaimResult(store.Claimed), takeover{}, nil
	}
	wanted := r.claimFor(e, store.Owner{})
	same, known := r.ledger.Recognise(record.Fingerprint, wanted.Key, e.Compared)
	if known && !e.Key.IsZero() {
		if status, next, ok := r.afterFailure(e, record, same); ok {
			return record.ClaimResult(status), next, nil
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
	next := takeover{Fingerprint: record.Fingerprint}
	if status == store.Finished {
		holds, err := r.holds(ctx, e, record)
		if err != nil {
			return store.ClaimResult{}, takeover{}, err
		}
		if !holds {
			status = store.Claimed
			next = takeover{Fingerprint: r.fingerprint(e), Replaces: record.Owner}
		}
	}
	return record.ClaimResult(status), next, nil
}

// Finished returns the outcome of an earlier equal call, or nil.
func (r *Records) Finished(ctx context.Context, e *Entry) *store.ClaimResult {
	if key := e.ID(); key.IsZero() {
		return nil
	}
	record, err := r.find(ctx, e)
	if err != nil {
		return nil
	}
	result, _, err := r.inspect(ctx, e, record)
	if err != nil || result.Status != store.Finished {
		return nil
	}
	return &result
}

// repeated answers for a call that was made before. It returns nil for a new
// call.
func repeated(r store.ClaimResult) *answer.Ending {
	switch r.Status {
	case store.Claimed:
		return nil
	case store.Finished:
		recorded := r
		return &answer.Ending{Recorded: &recorded}
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
