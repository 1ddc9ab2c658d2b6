package operation

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// SettleFree records that an abandoned call did not happen. Its record is then
// free for every call, in the same generation, and the call can no longer
// complete it. A record of an earlier version of the library, which had no
// generations, is removed. free is the result that the record keeps: the guard seals an
// empty list of failed executions; a program without its keys passes nil. lease
// is how long the two steps may take. The errors are those of
// [store.Store.Resolve].
func SettleFree(ctx context.Context, s store.Store, key store.Key, free []byte, lease time.Duration) error {
	record, err := s.Get(ctx, key)
	switch {
	case err != nil:
		return err
	case record.State == store.NoRecord:
		return store.ErrNotFound
	case !record.IsAbandoned():
		return store.ErrNotUnknown
	}
	if x, plausible := decode(record.Owner); !plausible || x.Ending != 0 {
		return s.Resolve(ctx, key, store.DidNotHappen)
	}
	owner := settled(record.Owner, DidNotHappen)
	claimed, err := s.Claim(ctx, store.Claim{
		Key: key, Owner: owner, Fingerprint: record.Fingerprint, Rerun: true, Lease: lease, Retention: max(record.ExpiresIn, lease),
	})
	switch {
	case err != nil:
		return err
	case claimed.Status != store.Claimed:
		return store.ErrNotUnknown
	}
	return s.Complete(ctx, store.Completion{
		Key: key, Owner: owner, State: store.Unknown, Retention: max(record.ExpiresIn, lease), Result: free,
	})
}
