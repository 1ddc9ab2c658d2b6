package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// ErrRecorded is returned by [Ledger.Once] if the key has a record already.
var ErrRecorded = errors.New("guard: the record exists already")

// Once records an action of a person outside of a call. Only the first record
// of a key counts, across all replicas. The parameter what identifies the
// record. The error is [ErrRecorded], or wraps [contain.ErrUnavailable].
func (l *Ledger) Once(ctx context.Context, key store.Key, what string, result []byte, retention time.Duration) error {
	retention = max(l.ShortLease(), retention)
	claim := store.Claim{
		Key: key, Owner: store.NewOwner(), Fingerprint: store.Fingerprint([]byte(what)), Lease: l.ShortLease(), Retention: retention,
	}
	claimed, err := l.Claim(ctx, claim)
	switch {
	case err != nil:
		return Unavailable("the record cannot be written", err)
	case claimed.Status == store.Running:
		return Unavailable("the record is being written", nil)
	case claimed.Status != store.Claimed:
		return ErrRecorded
	}
	err = l.Complete(ctx, store.Completion{Key: key, Owner: claim.Owner, State: store.Completed, Result: result,
		Retention: retention})
	switch {
	case errors.Is(err, store.ErrLost):
		return ErrRecorded
	case err != nil:
		return Unavailable("the record may not have been written", err)
	}
	return nil
}
