package records

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// holds reports whether the recorded result may be replayed. Only a stored
// success can stop holding: its time is over, or the tool author's function
// says so.
func (r *Records) holds(ctx context.Context, e *CallEntry, record store.Record) (bool, error) {
	if !e.mayEnd() || record.Result == nil {
		return true, nil
	}
	s, err := r.openResult(e, record.Result)
	if err != nil || s.Format != storedFormat || s.Outcome.Status != contract.StatusOK {
		return true, nil //nolint:nilerr // it is a failure, or not replayed
	}
	if s.Validity.isOver(record.ExpiresIn) {
		return false, nil
	}
	if !e.Tool.Impl.Facts().Has.ReplayWhile {
		return true, nil
	}
	holds, err := contain.Author(ctx, r.authors, func(ctx context.Context) (bool, error) {
		return e.Tool.Impl.ReplayWhile(ctx, e.Args.Canonical, s.Out)
	})
	if err != nil {
		return false, errors.Join(errUnchecked, err)
	}
	return holds, nil
}
