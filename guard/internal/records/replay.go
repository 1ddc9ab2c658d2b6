package records

import (
	"context"
	"errors"

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
	found, err := r.inspectOrAsk(ctx, e, record)
	if err != nil {
		return r.unreachable(e, err)
	}
	return answerRepeated(e, found)
}

// inspectOrAsk is inspect for a call that may run. If the outcome of an equal
// call is unknown, it asks the system.
func (r *Records) inspectOrAsk(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	found, err := r.inspect(ctx, e, record)
	switch {
	case err != nil || found.Status != store.Abandoned || !e.reconciles():
		return found, err
	case !found.equal:
		found.text, found.delay = textCannotAsk, neverQuiet
		return found, nil
	}
	if found, err = r.reconcile(ctx, e, record); err != nil {
		err = errors.Join(errUnchecked, err)
	}
	return found, err
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
		return again.For(e.Operation(f.of).String())
	case store.Running:
		return answer.Refuse(answer.Later(contract.CodeKeyInProgress, "", f.delay)).For(e.Operation(f.of).String())
	case store.Conflicting:
		return answer.Refuse(answer.NewRefusal(contract.CodeKeyConflict, ""))
	case store.Abandoned:
		unknown := answer.NewRefusal(contract.CodeOutcomeUnknown, f.text).Because(f.cause)
		if f.text != "" {
			unknown.RetryAfter = f.delay
		}
		return answer.Refuse(unknown).For(e.Operation(f.of).String())
	case store.NonceSpent, store.Exhausted:
	}
	err := errors.New("the store gave an answer that fits no claim: " + f.Status.String())
	return answer.Refuse(answer.Unavailable("the record of earlier calls cannot be read").Because(err))
}
