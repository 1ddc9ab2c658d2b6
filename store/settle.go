package store

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/internal/operation"
)

// IsFree reports whether a record with this owner was given up, so that the next
// call may run. The state of such a record is Unknown or Completed.
func (o Owner) IsFree() bool { return operation.IsGivenUp(o) }

// settleTime is how long the steps of a settlement may take.
const settleTime = 10 * time.Second

// Settle records an operator's finding about an abandoned record, as
// [Store.Resolve] does. But [DidNotHappen] does not remove the record: it leaves
// it free for the next call, so that the guard still knows how often the call was
// undone, and a lookup answers that it did not happen. The errors are those of
// Resolve.
func Settle(ctx context.Context, s Store, key Key, f Settlement) error {
	if f != DidNotHappen {
		return s.Resolve(ctx, key, f)
	}
	record, err := s.Get(ctx, key)
	switch {
	case err != nil:
		return err
	case record.State == NoRecord:
		return ErrNotFound
	case !record.IsAbandoned():
		return ErrNotUnknown
	}
	owner, ok := operation.Settled(record.Owner, operation.DidNotHappen)
	if !ok { // of an earlier version of the library, which counted nothing
		return s.Resolve(ctx, key, f)
	}
	claimed, err := s.Claim(ctx, Claim{
		Key: key, Owner: owner, Fingerprint: record.Fingerprint, Rerun: true, Lease: settleTime,
		Retention: max(record.ExpiresIn, settleTime),
	})
	switch {
	case err != nil:
		return err
	case claimed.Status != Claimed:
		return ErrNotUnknown
	}
	return s.Complete(ctx, Completion{Key: key, Owner: owner, State: Unknown, Retention: max(record.ExpiresIn, settleTime)})
}
