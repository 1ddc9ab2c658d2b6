package records

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// ShowsOperations reports whether callers may look up the operations of a tool.
// They may not if the key can contain a secret argument, because each look
// would tell whether a guess is right.
func ShowsOperations(t *facts.ProtectedTool) bool {
	f := t.Impl.Facts()
	return t.IsDeduplicated && !f.SecretKey && !(f.HasSecrets && t.GuessesKey)
}

// LookUp returns the status of an operation for a caller that may call these
// tools. It queries the store once, whatever it finds. It shows neither the
// arguments nor the result of the call, because the tool may authorize those by
// functions that need the arguments.
func (r *Records) LookUp(
	ctx context.Context, key store.Key, generation uint16, tools []*facts.ProtectedTool,
) (operation.Status, error) {
	unknown := operation.Status{State: operation.Unknown}
	record, err := r.ledger.Get(ctx, key)
	if err != nil {
		return unknown, ledger.Unavailable("the record of calls cannot be reached", err)
	}
	for _, t := range tools {
		if x, ok := operation.ExecutionOf(record.Owner, key.ID, t.Identity); ok {
			return r.statusOf(key, record, t, x, generation), nil
		}
	}
	return unknown, nil
}

// endOf returns how and when a recorded call ended. If the result was not kept,
// or an earlier version of the library sealed it, neither is known.
func (r *Records) endOf(key store.Key, record store.Record) (state string, at time.Time) {
	stored, err := r.results.Open(record.Result, resultName(key))
	read := err == nil && stored.Format == storedFormat
	at = stored.RecordedAt
	if !read || stored.Found { // of a found result, it is when the system was asked
		at = time.Time{}
	}
	switch {
	case record.State == store.Failed:
		return operation.Failed, at
	case read && stored.Outcome.Status == contract.StatusOK:
		return operation.Succeeded, at
	}
	return operation.Ended, at
}

// isReleased reports whether a record exists only to remember its generation,
// because the call did not run, or failed without an effect.
func (r *Records) isReleased(key store.Key, record store.Record) bool {
	earlier, err := r.unresolved.Open(record.Result, listName(key))
	return record.State == store.Unknown && err == nil && len(earlier) == 0
}

// statusOf returns the status of the operation of a generation, given a record
// of its key.
func (r *Records) statusOf(
	key store.Key, record store.Record, t *facts.ProtectedTool, x operation.Execution, generation uint16,
) operation.Status {
	s := operation.Status{State: operation.Unknown, Tool: t.Doc.Name}
	undone := x.Ending == operation.Undone
	switch {
	case undone && x.Generation == generation+1: // the undone call had ended
		s.State = operation.Ended
		return s
	case x.Of(key.ID).Generation != generation:
		return operation.Status{State: operation.Unknown}
	case !undone: // if undone, x.Began is when the record was given up
		s.StartedAt = x.Began.UTC()
	}
	switch {
	case x.Ending != 0 || r.isReleased(key, record):
		s.State = operation.NotDone
	case record.State.IsFinished():
		s.State, s.EndedAt = r.endOf(key, record)
	case record.State == store.InProgress && (record.LeaseLeft > 0 || r.handlers.has(key)):
		e := CallEntry{View: facts.View{Tool: t}, Key: key}
		s.State = operation.Running
		delay := r.delay(&e, max(record.LeaseLeft, shortestDelay), r.runTime(&e, record))
		s.RetryAfterMs = delay.Milliseconds()
		s.Advice = fmt.Sprintf("The call is still running. Look again in %s.", answer.RoundedUp(delay))
	case t.Impl.Facts().Has.Reconcile:
		s.Advice = "It is not known whether the call had its effect. To find out, repeat it with the same arguments, and with the " +
			"same idempotency key if it had one."
	}
	return s
}
