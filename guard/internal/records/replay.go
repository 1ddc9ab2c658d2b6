package records

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/store"
)

// Replay looks for the outcome of a call with a key. It comes before a person
// is asked, because a call with an outcome does not run again.
func (r *Records) Replay(ctx context.Context, e *CallEntry) *answer.Ending {
	if e.Key.IsZero() {
		return nil
	}
	record, err := r.find(ctx, e)
	if err != nil {
		return r.unreachable(e, err)
	}
	found, err := r.inspect(ctx, e, record)
	if err != nil {
		return r.unreachable(e, err)
	}
	return answerRepeated(found)
}

// A finding is the answer to a claim, and what the record adds to it.
type finding struct {
	store.ClaimResult
	takeover // how to take the record if the status is Claimed

	delay time.Duration // when to try again if the status is Running
}

// inspect returns the answer that a claim of the call would get, given a
// record. A record whose fingerprint was made with a key that this guard lacks
// is never claimed, because its arguments cannot be compared. Any error wraps
// errUnchecked.
func (r *Records) inspect(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	if record.State == store.NoRecord {
		return finding{ClaimResult: record.ClaimResult(store.Claimed)}, nil
	}
	wanted := r.claimFor(e, store.Owner{})
	same, known := r.ledger.Recognise(record.Fingerprint, wanted.Key, e.Args.Compared)
	if known && !e.Key.IsZero() {
		if status, next, ok := r.afterFailure(e, record, same); ok {
			return finding{ClaimResult: record.ClaimResult(status), takeover: next}, nil
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
			return finding{}, err
		}
		if !holds {
			status = store.Claimed
			next = takeover{Fingerprint: r.fingerprint(e), Replaces: record.Owner}
		}
	}
	return finding{record.ClaimResult(status), next, r.delay(e, record.LeaseLeft, r.runTime(e, record))}, nil
}

// Finished returns the outcome of an earlier identical call, or nil.
func (r *Records) Finished(ctx context.Context, e *CallEntry) *store.ClaimResult {
	if a := r.Repeated(ctx, e); a != nil {
		return a.Recorded
	}
	return nil
}

// Repeated answers a call that would be refused for another reason, if an
// identical call runs or has an outcome. Otherwise, or if the record cannot be
// read, it returns nil.
func (r *Records) Repeated(ctx context.Context, e *CallEntry) *answer.Ending {
	if key := e.ID(); key.IsZero() {
		return nil
	}
	record, err := r.find(ctx, e)
	if err != nil {
		return nil
	}
	found, err := r.inspect(ctx, e, record)
	if err != nil || found.Status != store.Finished && found.Status != store.Running {
		return nil
	}
	return answerRepeated(found)
}

// answerRepeated answers a call that was made before, or returns nil for a new
// one.
func answerRepeated(f finding) *answer.Ending {
	switch f.Status {
	case store.Claimed:
		return nil
	case store.Finished:
		return &answer.Ending{Recorded: &f.ClaimResult}
	case store.Running:
		return answer.Refuse(answer.Later(contract.CodeKeyInProgress, "", f.delay))
	case store.Conflicting:
		return answer.Refuse(answer.NewRefusal(contract.CodeKeyConflict, ""))
	case store.Abandoned:
		return answer.Refuse(answer.NewRefusal(contract.CodeOutcomeUnknown, ""))
	case store.NonceSpent, store.Exhausted:
	}
	err := errors.New("the store gave an answer that fits no claim: " + f.Status.String())
	return answer.Refuse(answer.Unavailable("the record of earlier calls cannot be read").Because(err))
}
