package storetest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A faultyCounter is a counter that goes wrong as a [Faulty] is told to.
type faultyCounter struct {
	faults  *Faulty
	counter store.Counter
}

// Add implements [store.Counter].
func (f *faultyCounter) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	return around(ctx, f.faults, Add, func() (int64, error) { return f.counter.Add(ctx, key, kind, window) })
}

// Max implements [store.Counter].
func (f *faultyCounter) Max(ctx context.Context, key store.Key) (int64, error) {
	return around(ctx, f.faults, Max, func() (int64, error) { return f.counter.Max(ctx, key) })
}

// Reset implements [store.Counter].
func (f *faultyCounter) Reset(ctx context.Context, key store.Key) error {
	return f.faults.change(ctx, Reset, func() error { return f.counter.Reset(ctx, key) })
}
