package ledger

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// An Operation is one operation of a store that has ended.
type Operation struct {
	Name     string // the method in lower case
	Start    time.Time
	Duration time.Duration
	Local    bool // the store is in this process's memory
	Outage   bool // see [IsOutage]
}

// An observed store reports each operation of another store.
type observed struct {
	store.Store

	report func(context.Context, Operation)
}

// ended reports an operation that has begun at start.
func (o observed) ended(ctx context.Context, name string, start time.Time, err error) {
	o.report(ctx, Operation{Name: name, Start: start, Duration: time.Since(start), Local: o.IsLocal(), Outage: IsOutage(err)})
}

// observe runs an operation and reports it.
func observe[T any](ctx context.Context, o observed, name string, operation func() (T, error)) (T, error) {
	start := time.Now()
	value, err := operation()
	o.ended(ctx, name, start, err)
	return value, err
}

// observeError is observe for an operation that returns only an error.
func observeError(ctx context.Context, o observed, name string, operation func() error) error {
	start := time.Now()
	err := operation()
	o.ended(ctx, name, start, err)
	return err
}

func (o observed) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	return observe(ctx, o, "claim", func() (store.ClaimResult, error) { return o.Store.Claim(ctx, c) })
}

func (o observed) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	return observeError(ctx, o, "mark", func() error { return o.Store.Mark(ctx, key, owner) })
}

func (o observed) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	return observeError(ctx, o, "renew", func() error { return o.Store.Renew(ctx, key, owner, lease) })
}

func (o observed) Complete(ctx context.Context, c store.Completion) error {
	return observeError(ctx, o, "complete", func() error { return o.Store.Complete(ctx, c) })
}

func (o observed) Release(ctx context.Context, r store.Release) error {
	return observeError(ctx, o, "release", func() error { return o.Store.Release(ctx, r) })
}

func (o observed) Get(ctx context.Context, key store.Key) (store.Record, error) {
	return observe(ctx, o, "get", func() (store.Record, error) { return o.Store.Get(ctx, key) })
}

func (o observed) Resolve(ctx context.Context, key store.Key, f store.Settlement) error {
	return observeError(ctx, o, "resolve", func() error { return o.Store.Resolve(ctx, key, f) })
}

func (o observed) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	return observe(ctx, o, "spend", func() (bool, error) { return o.Store.Spend(ctx, n, by) })
}

func (o observed) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	return observe(ctx, o, "add", func() (int64, error) { return o.Store.Add(ctx, key, kind, window) })
}

func (o observed) Max(ctx context.Context, key store.Key) (store.Count, error) {
	return observe(ctx, o, "max", func() (store.Count, error) { return o.Store.Max(ctx, key) })
}

func (o observed) Reset(ctx context.Context, key store.Key) error {
	return observeError(ctx, o, "reset", func() error { return o.Store.Reset(ctx, key) })
}
