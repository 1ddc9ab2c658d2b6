package store

import (
	"errors"
	"fmt"
	"time"
)

const (
	// DefaultMaxEntries is how many entries a [Memory] holds without [MaxEntries].
	DefaultMaxEntries = 100_000
	// DefaultMaxBytes is how many bytes a [Memory] takes without [MaxBytes]: 64 MiB.
	DefaultMaxBytes = 64 << 20
)

// What one of a sort is counted as towards MaxBytes, beside the bytes of a result: what a flood of them was
// measured to take on a 64-bit machine, with their share of maps, which never shrink, and queue.
const (
	entryBytes = 480 // a record or a nonce
	bodyBytes  = 280 // the place of a result among the others
	kindBytes  = 800 // a counter with one kind
)

// A MemoryOption configures a [Memory].
type MemoryOption interface{ apply(*Memory) error }

type memoryOptionFunc func(*Memory) error

func (f memoryOptionFunc) apply(m *Memory) error { return f(m) }

// MaxEntries bounds how many records and nonces there are together, and apart from them how many counts.
// Default: [DefaultMaxEntries]. Less than two is an error, for a claim with a nonce needs two.
func MaxEntries(n int) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if n < 2 {
			return errors.New("idempotency: MaxEntries: the number is less than two")
		}
		m.maxEntries = n
		return nil
	})
}

// MaxBytes bounds the memory of records, results and nonces together, and apart from them that of counts:
// the bytes of the results, and for each entry a constant of some hundred bytes, about what it takes.
// Default: [DefaultMaxBytes]. A number that leaves no room for two entries is an error.
func MaxBytes(n int64) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if least := max(2*entryBytes, kindBytes); n < int64(least) {
			return fmt.Errorf("idempotency: MaxBytes: the number is less than %d", least)
		}
		m.maxBytes = n
		return nil
	})
}

// WithClock sets what tells the time. Default: [time.Now]. Only differences count, by the monotonic clock
// where the times have a reading of it, so that setting the wall clock moves nothing. A clock that goes
// back stands still until it has caught up. The function is called under the lock of the Memory, and must
// not use it. Nil is an error.
func WithClock(now func() time.Time) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if now == nil {
			return errors.New("idempotency: WithClock: the function is nil")
		}
		m.clock = now
		return nil
	})
}
