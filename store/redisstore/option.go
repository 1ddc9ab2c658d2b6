package redisstore

import (
	"errors"
	"fmt"
)

// The default bounds of one principal.
const (
	defaultMaxEntries = 100_000
	defaultMaxBytes   = 32 << 20
)

// What an entry counts towards WithMaxBytes, in bytes, without the result
// itself. Measured in Redis 7 on a 64-bit machine, including what the index
// takes.
const (
	entryBytes  = 600
	resultBytes = 650 // Redis no longer packs the fields of a record with a result
)

// limits are the bounds of one partition.
type limits struct {
	entries int
	bytes   int64
}

// An Option configures a [Store].
type Option interface{ apply(*operations) error }

type optionFunc func(*operations) error

func (f optionFunc) apply(s *operations) error { return f(s) }

// WithMaxEntries bounds the number of records, nonces and counts of one
// principal together. It does not bound their size; see [WithMaxBytes]. At the
// bound, new claims, nonces and counts of the principal get [store.ErrFull]
// until some of its entries expire. Default: 100,000. A number below two is an
// error, because a claim with a nonce needs two entries.
func WithMaxEntries(n int) Option {
	return optionFunc(func(s *operations) error {
		if n < 2 {
			return errors.New("redisstore: WithMaxEntries: the number is less than two; pass two or more")
		}
		s.limits.entries = n
		return nil
	})
}

// WithMaxBytes bounds the memory that one principal takes in the store, so that
// no principal fills the server for others. It counts the bytes of the results,
// plus 600 bytes for each entry and 650 for each result, which is about what
// they take in Redis. If there is no room for a new result or entry, results of
// the principal are dropped, the oldest first. Their records remain, so that a
// repeated call does not run again but learns only that it completed. A result
// that would not fit even then is not kept. If dropping all results would not
// make room, a new entry gets [store.ErrFull]. Default: 32 MiB, enough for
// 55,000 entries without results. A bound too small for two entries is an
// error.
func WithMaxBytes(n int64) Option {
	return optionFunc(func(s *operations) error {
		if minimum := int64(2 * entryBytes); n < minimum {
			return fmt.Errorf("redisstore: WithMaxBytes: the number is less than %d; pass more", minimum)
		}
		s.limits.bytes = n
		return nil
	})
}
