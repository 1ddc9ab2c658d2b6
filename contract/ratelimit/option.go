package ratelimit

import (
	"errors"
	"time"
)

// defaultMaxBuckets is the number of buckets that a [Memory] holds if
// [WithMaxBuckets] does not set another.
const defaultMaxBuckets = 100_000

// An Option configures a [Memory].
type Option interface{ apply(*Memory) error }

type optionFunc func(*Memory) error

func (f optionFunc) apply(l *Memory) error { return f(l) }

// WithMaxBuckets bounds the number of buckets in memory. A bucket with a name
// from a guard takes about 350 bytes, so the default takes at most 35 MB,
// however many callers there are. Default: 100,000. A number below
// two is an error, because one call of a guard may take from two buckets. A
// Take from more than n buckets is an error.
func WithMaxBuckets(n int) Option {
	return optionFunc(func(l *Memory) error {
		if n < 2 {
			return errors.New("ratelimit: WithMaxBuckets: the number is less than two")
		}
		l.max = n
		return nil
	})
}

// WithClock sets the clock. Default: [time.Now]. Only differences between
// readings count. They are monotonic if the readings are, so that setting the
// wall clock changes nothing; whether the sleep of a computer counts depends on
// the clock. The function is called under the lock of the limiter and must not
// use the limiter. Nil is an error.
func WithClock(now func() time.Time) Option {
	return optionFunc(func(l *Memory) error {
		if now == nil {
			return errors.New("ratelimit: WithClock: the function is nil")
		}
		l.clock.source = now
		return nil
	})
}
