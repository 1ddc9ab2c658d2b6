package storetest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/idempotency"
)

// A faultyCounter is a counter that goes wrong as a [Faulty] is told to.
type faultyCounter struct {
	faults  *Faulty
	counter idempotency.Counter
}

// Add implements [idempotency.Counter].
func (f *faultyCounter) Add(ctx context.Context, key idempotency.Key, kind string, window time.Duration) (int64, error) {
	return around(ctx, f.faults, Add, func() (int64, error) { return f.counter.Add(ctx, key, kind, window) })
}

// Max implements [idempotency.Counter].
func (f *faultyCounter) Max(ctx context.Context, key idempotency.Key) (int64, error) {
	return around(ctx, f.faults, Max, func() (int64, error) { return f.counter.Max(ctx, key) })
}

// Reset implements [idempotency.Counter].
func (f *faultyCounter) Reset(ctx context.Context, key idempotency.Key) error {
	return f.faults.change(ctx, Reset, func() error { return f.counter.Reset(ctx, key) })
}
