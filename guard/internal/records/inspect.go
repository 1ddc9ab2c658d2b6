package records

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// A finding is the answer to a claim, and what the record adds to it.
type finding struct {
	store.ClaimResult
	takeover // how to take the record if the status is Claimed

	delay time.Duration       // when to try again if the status is Running or Abandoned
	of    operation.Execution // of the record, unless the status is Claimed
	equal bool                // the earlier call had the arguments of this one
	text  string              // for the caller if the status is Abandoned
	cause error               // for the logs
}

// inspect returns the answer that a claim of the call would get, given a
// record. A record whose fingerprint was made with a key that this guard lacks
// is never claimed, because its arguments cannot be compared. Any error wraps
// errUnchecked.
func (r *Records) inspect(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	if record.State == store.NoRecord {
		return finding{ClaimResult: record.ClaimResult(store.Claimed), takeover: r.inGeneration(e, record, 0)}, nil
	}
	wanted := r.claimFor(e, store.Owner{})
	x := e.executionOf(record)
	same, known := r.recognise(e, record.Fingerprint)
	if x.Ending != 0 && record.State != store.InProgress {
		free := r.inGeneration(e, record, x.Generation)
		if next, ok := r.inNextGeneration(e, record); ok && x.Behind > 0 { // the generation is that of another call
			free = next
		}
		return finding{ClaimResult: store.ClaimResult{Status: store.Claimed}, takeover: free}, nil
	}
	if known && !e.Key.IsZero() {
		if status, next, ok := r.afterFailure(e, record, same); ok {
			return finding{ClaimResult: record.ClaimResult(status), takeover: next, of: x}, nil
		}
	}
	if same || !known || x.Ending != 0 { // one that is being given up is free soon
		wanted.Fingerprint = record.Fingerprint
	}
	wanted.Rerun = wanted.Rerun && same
	status := wanted.StatusFor(record, 0)
	if status == store.Claimed && !same {
		status = store.Conflicting
	}
	next := takeover{Execution: x, Fingerprint: record.Fingerprint, Rerun: wanted.Rerun}
	next.Ending = 0
	if status == store.Finished {
		holds, err := r.holds(ctx, e, record)
		if err != nil {
			return finding{}, err
		}
		if later, ok := r.inNextGeneration(e, record); !holds && ok {
			status, next = store.Claimed, later
		}
	}
	return finding{
		ClaimResult: record.ClaimResult(status), takeover: next, of: x, equal: same,
		delay: r.delay(e, record.LeaseLeft, r.runTime(e, record)),
	}, nil
}
