package store

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// The default bounds of a [Memory].
const (
	defaultMaxEntries = 100_000
	defaultMaxBytes   = 64 << 20
)

// What an entry of each kind counts towards WithMaxBytes, in bytes, without the
// result itself. Measured on a 64-bit machine with many entries, these include
// the entry's share of the queues and of the maps, which never shrink.
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
// separately the number of counts. It does not bound the size of results; see
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
// separately the memory of counts. It counts the bytes of results plus, for
// each entry, a constant of a few hundred bytes, about what the entry takes. If
// there is no room, results are dropped; see [Memory]. Default: 64 MiB. A bound
// too small for two entries is an error. The option has no effect on a
// [MemoryLimiter].
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
// times matter, by the monotonic clock if the times carry its reading, so that
// setting the wall clock changes nothing. If the clock goes back, time stands
// still until it catches up; for a limiter see [NewMemoryLimiter]. The function
// is called under a lock of the store or limiter and must not use it. Nil is an
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
