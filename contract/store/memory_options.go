package store

import (
	"errors"
	"fmt"
	"time"
)

// The bounds of a [Memory] without options.
const (
	defaultMaxEntries = 100_000
	defaultMaxBytes   = 64 << 20
)

// The bytes that an entry of each kind counts for WithMaxBytes, without those
// of a result. They were measured on a 64-bit machine with many entries, and
// include their share of the maps, which never shrink, and of the queues.
const (
	entryBytes  = 560 // a record or a nonce
	resultBytes = 280 // the place of a result in the orders
	kindBytes   = 800 // counts with one kind
)

// A MemoryOption configures a [Memory].
type MemoryOption interface{ apply(*Memory) error }

type memoryOptionFunc func(*Memory) error

func (f memoryOptionFunc) apply(m *Memory) error { return f(m) }

// WithMaxEntries bounds the number of records and nonces together, and
// separately the number of counts. One partition gets at most half of the
// records and nonces; see [Memory]. Default: 100,000. A number
// below two is an error, because a claim with a nonce needs two entries.
func WithMaxEntries(n int) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if n < 2 {
			return errors.New("store: WithMaxEntries: the number is less than two")
		}
		m.maxEntries = n
		return nil
	})
}

// WithMaxBytes bounds the memory of records, results and nonces together, and
// separately the memory of counts. It counts the bytes of the results, and for
// each entry a constant of some hundred bytes, which is about what the entry
// takes. Default: 64 MiB. A number that leaves no room for two
// entries is an error.
func WithMaxBytes(n int64) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if minimum := max(2*entryBytes, kindBytes); n < int64(minimum) {
			return fmt.Errorf("store: WithMaxBytes: the number is less than %d", minimum)
		}
		m.maxBytes = n
		return nil
	})
}

// WithClock sets the clock. Default: [time.Now]. Only differences between its
// times count, by the monotonic clock if they have a reading of it, so that
// setting the wall clock changes nothing. If the clock goes back, time stands
// still until it has caught up. The function is called under the lock of the
// Memory and must not use it. Nil is an error.
func WithClock(now func() time.Time) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		if now == nil {
			return errors.New("store: WithClock: the function is nil")
		}
		m.clock = now
		return nil
	})
}
