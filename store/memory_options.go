package store

import (
	"errors"
	"fmt"
	"log/slog"
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

// A MemoryOption configures a [Memory] or a [MemoryLimiter].
type MemoryOption interface{ apply(*memoryConfig) error }

type memoryOptionFunc func(*memoryConfig) error

func (f memoryOptionFunc) apply(c *memoryConfig) error { return f(c) }

// A memoryConfig is what the options set.
type memoryConfig struct {
	maxEntries int
	maxBytes   int64
	clock      func() time.Time
	logger     *slog.Logger // of a test; nil: slog.Default()
}

// configured returns what the options of a constructor set.
func configured(constructor string, opts []MemoryOption) (memoryConfig, error) {
	c := memoryConfig{maxEntries: defaultMaxEntries, maxBytes: defaultMaxBytes, clock: time.Now}
	for _, opt := range opts {
		if opt == nil {
			return c, fmt.Errorf("store: %s: an option is nil", constructor)
		}
		if err := opt.apply(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// WithMaxEntries bounds the number of records and nonces together, and
// separately the number of counts. It does not bound the bytes of results; see
// [WithMaxBytes]. One partition gets at most half of the records and nonces;
// see [Memory]. For a [MemoryLimiter] it bounds the number of buckets. Default:
// 100,000, which is about 56 MB without results. A number below two is an
// error, because a claim with a nonce needs two entries, and a call may take
// from two buckets.
func WithMaxEntries(n int) MemoryOption {
	return memoryOptionFunc(func(c *memoryConfig) error {
		if n < 2 {
			return errors.New("store: WithMaxEntries: the number is less than two")
		}
		c.maxEntries = n
		return nil
	})
}

// WithMaxBytes bounds the memory of records, results and nonces together, and
// separately the memory of counts. It counts the bytes of the results, and for
// each entry a constant of some hundred bytes, which is about what the entry
// takes. If there is no room, results are dropped; see [Memory]. Default: 64
// MiB. A number that leaves no room for two entries is an error. The
// option has no effect on a [MemoryLimiter].
func WithMaxBytes(n int64) MemoryOption {
	return memoryOptionFunc(func(c *memoryConfig) error {
		if minimum := max(2*entryBytes, kindBytes); n < int64(minimum) {
			return fmt.Errorf("store: WithMaxBytes: the number is less than %d", minimum)
		}
		c.maxBytes = n
		return nil
	})
}

// WithClock sets the clock. Default: [time.Now]. Only differences between its
// times count, by the monotonic clock if they have a reading of it, so that
// setting the wall clock changes nothing. If the clock goes back, time stands
// still until it has caught up; see [NewMemoryLimiter] for a limiter. The
// function is called under the lock of its user and must not use it. Nil is an
// error.
func WithClock(now func() time.Time) MemoryOption {
	return memoryOptionFunc(func(c *memoryConfig) error {
		if now == nil {
			return errors.New("store: WithClock: the function is nil")
		}
		c.clock = now
		return nil
	})
}
