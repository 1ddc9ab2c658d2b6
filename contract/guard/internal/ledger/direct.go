package ledger

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A direct store queries a [store.Memory] on the goroutine of the caller,
// without a time limit, because a Memory neither waits nor panics. It copies
// errors as a bounded store does, and never has an outage.
type direct struct{ *store.Memory }

func (d direct) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	result, err := d.Memory.Claim(ctx, c)
	return result, note(err)
}

func (d direct) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	return note(d.Memory.Mark(ctx, key, owner))
}

func (d direct) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	return note(d.Memory.Renew(ctx, key, owner, lease))
}

func (d direct) Complete(ctx context.Context, c store.Completion) error {
	return note(d.Memory.Complete(ctx, c))
}

func (d direct) Release(ctx context.Context, r store.Release) error {
	return note(d.Memory.Release(ctx, r))
}

func (d direct) Get(ctx context.Context, key store.Key) (store.Record, error) {
	record, err := d.Memory.Get(ctx, key)
	return record, note(err)
}

func (d direct) Resolve(ctx context.Context, key store.Key, f store.Settlement) error {
	return note(d.Memory.Resolve(ctx, key, f))
}

func (d direct) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	first, err := d.Memory.Spend(ctx, n, by)
	return first, note(err)
}

func (d direct) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	n, err := d.Memory.Add(ctx, key, kind, window)
	return n, note(err)
}

func (d direct) Max(ctx context.Context, key store.Key) (store.Count, error) {
	count, err := d.Memory.Max(ctx, key)
	return count, note(err)
}

func (d direct) Reset(ctx context.Context, key store.Key) error {
	return note(d.Memory.Reset(ctx, key))
}
