package access

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/store"
)

// Count counts how a call ended. The refusal replaces the answer of a call that
// did not run and exceeds the budget. Only failures that depend on the
// arguments count, so refusals before the arguments were read do not. If the
// call was claimed, its completion resets the count.
func (c *FailureCount) Count(ctx context.Context, o *contract.Outcome, claimed, ran bool) *answer.Refusal {
	if !c.isCounted() {
		return nil
	}
	switch {
	case o.Code == contract.CodeRetryBudgetExhausted || o.RetryAfterMs > 0 || isOfRecord(o.Code) || isOfCaller(o.Code):
	case o.Status == contract.StatusError:
		if c.keys == nil {
			c.keys = c.makeKeys()
		}
		if c.add(ctx, o.Code) && !ran { // a call that ran keeps its answer
			return c.Exhausted(ctx)
		}
	case o.Status == contract.StatusOK, o.Status == contract.StatusDryRun:
		if c.before && !claimed {
			query(ctx, c, func(ctx context.Context, s store.Store) (struct{}, error) {
				return struct{}{}, s.Reset(ctx, c.keys.counts)
			})
		}
	}
	return nil
}

// kindPause is the kind of event that is counted during a pause.
const kindPause = "failed"

// add counts a failure and reports whether it exceeds the budget. A failure of
// a read begins a pause if the budget is used up. Only a failure during a pause
// exceeds the budget of a read.
func (c *FailureCount) add(ctx context.Context, code string) (exceeds bool) {
	b := c.budget()
	n := query(ctx, c, func(ctx context.Context, s store.Store) (int64, error) {
		return s.Add(ctx, c.keys.counts, code, b.Window)
	})
	exceeds = n > int64(b.Failures)
	if c.Tool.IsRead && (c.usedUp || n >= int64(b.Failures)) {
		paused := query(ctx, c, func(ctx context.Context, s store.Store) (int64, error) {
			return s.Add(ctx, c.keys.pause, kindPause, b.pause())
		})
		exceeds = exceeds && paused > 1
	}
	return exceeds
}

// isOfRecord reports whether a code describes a failure of an earlier call, not
// of this one.
func isOfRecord(code string) bool {
	return code == contract.CodeOutcomeUnknown || code == contract.CodeAlreadyDone || code == contract.CodeKeyConflict
}

// isOfCaller reports whether a code means that the caller or its client lacks
// something that others may have, or that a person did not agree. Then the
// arguments are not at fault. A declined call is remembered elsewhere, and not
// for as long.
func isOfCaller(code string) bool {
	switch code {
	case contract.CodePermissionDenied, contract.CodeStepUpRequired, contract.CodeConfirmationRequired,
		contract.CodeConfirmationDeclined, contract.CodeUnauthenticated:
		return true
	}
	return false
}
