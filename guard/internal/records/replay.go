package records

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/internal/operation"
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
	found, err := r.inspectOrAsk(ctx, e, record)
	if err != nil {
		return r.unreachable(e, err)
	}
	return answerRepeated(e, found)
}

// A finding is the answer to a claim, and what the record adds to it.
type finding struct {
	store.ClaimResult
	takeover // how to take the record if the status is Claimed

	delay time.Duration       // when to try again if the status is Running or Abandoned
	of    operation.Execution // what the record tells, unless the status is Claimed
	equal bool                // the earlier call had the arguments of this one
	text  string              // for the caller if the status is Abandoned
	cause error               // for the logs
}

// inspectOrAsk is inspect for a call that may run. If nobody knows what became
// of an equal call, it asks.
func (r *Records) inspectOrAsk(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	found, err := r.inspect(ctx, e, record)
	switch {
	case err != nil || found.Status != store.Abandoned || !e.reconciles():
		return found, err
	case !found.equal:
		found.text, found.delay = textNobodyAsks, neverQuiet
		return found, nil
	}
	if found, err = r.reconcile(ctx, e, record); err != nil {
		err = errors.Join(errUnchecked, err)
	}
	return found, err
}

// inspect returns the answer that a claim of the call would get, given a
// record. A record whose fingerprint was made with a key that this guard lacks
// is never claimed, because its arguments cannot be compared. Any error wraps
// errUnchecked.
func (r *Records) inspect(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	if record.State == store.NoRecord {
		return finding{
			ClaimResult: record.ClaimResult(store.Claimed), takeover: takeover{Fingerprint: r.fingerprint(e, 0)},
		}, nil
	}
	wanted := r.claimFor(e, store.Owner{})
	x := e.executionOf(record)
	same, known := r.recognise(e, record.Fingerprint)
	if x.Ending != 0 && record.State != store.InProgress {
		return finding{ClaimResult: store.ClaimResult{Status: store.Claimed}, takeover: r.inSameGeneration(e, record)}, nil
	}
	if known && !e.Key.IsZero() {
		if status, next, ok := r.afterFailure(e, record, same); ok {
			return finding{ClaimResult: record.ClaimResult(status), takeover: next, of: x}, nil
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
	next := takeover{Execution: operation.Execution{Generation: x.Generation, Behind: x.Behind, Began: x.Began}, Fingerprint: record.Fingerprint, Rerun: wanted.Rerun}
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

// recognise reports whether a fingerprint is of the arguments of this call, in
// any generation, and whether the two can be compared.
func (r *Records) recognise(e *CallEntry, found store.Digest) (same, known bool) {
	same, known = r.ledger.Recognise(found, e.ID(), e.compared(0))
	if !same && known && !e.Key.IsZero() {
		same, known = r.ledger.Recognise(found, e.ID(), e.compared(1))
	}
	return same, known
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
	return answerRepeated(e, found)
}

// answerRepeated answers a call that was made before, or returns nil for a new
// one. A conflict does not name the operation, because it is that of another
// call.
func answerRepeated(e *CallEntry, f finding) *answer.Ending {
	switch f.Status {
	case store.Claimed:
		return nil
	case store.Finished:
		again := &answer.Ending{Recorded: &f.ClaimResult}
		if e.reconciles() { // the record has the fingerprint of generation 0 in any generation, and the result tells
			return again
		}
		return again.For(e.Operation(f.of))
	case store.Running:
		return answer.Refuse(answer.Later(contract.CodeKeyInProgress, "", f.delay)).For(e.Operation(f.of))
	case store.Conflicting:
		return answer.Refuse(answer.NewRefusal(contract.CodeKeyConflict, ""))
	case store.Abandoned:
		unknown := answer.NewRefusal(contract.CodeOutcomeUnknown, f.text).Because(f.cause)
		if f.text != "" {
			unknown.RetryAfter = f.delay
		}
		return answer.Refuse(unknown).For(e.Operation(f.of))
	case store.NonceSpent, store.Exhausted:
	}
	err := errors.New("the store gave an answer that fits no claim: " + f.Status.String())
	return answer.Refuse(answer.Unavailable("the record of earlier calls cannot be read").Because(err))
}
