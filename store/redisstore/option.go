package redisstore

import (
	"errors"
	"fmt"
)

// The bounds of one principal without options.
const (
	defaultMaxEntries = 100_000
	defaultMaxBytes   = 32 << 20
)

// The bytes that an entry counts for WithMaxBytes, without those of a result.
// They were measured in Redis 7 on a 64-bit machine, and include what the index
// takes.
const (
	entryBytes  = 600
	resultBytes = 650 // the fields of a record are no longer packed if it has a result
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
// principal together. It does not bound their bytes; see [WithMaxBytes]. At the
// bound a new claim, a new nonce and a new count of the principal get
// [store.ErrFull], until some of its entries expire. Default: 100,000. A number
// below two is an error, because a claim with a nonce needs two entries.
func WithMaxEntries(n int) Option {
	return optionFunc(func(s *operations) error {
		if n < 2 {
			return errors.New("redisstore: WithMaxEntries: the number is less than two; pass two or more")
		}
		s.limits.entries = n
		return nil
	})
}

// WithMaxBytes bounds the memory of all that one principal has in the store, so
// that no principal fills the server for others. It counts the bytes of the
// results, and for each entry 600 bytes and for each result 650 more, which is
// about what they take in Redis. If there is no room for a new result or a new
// entry, results of the principal are dropped, the oldest first. A record
// without its result still stands, so that a repeated call does not run again
// but learns only that it was done. A result that would not fit even then is
// not kept. If there is no room without any result, a new entry gets
// [store.ErrFull]. Default: 32 MiB, which is room for 55,000 entries
// without results. A number that leaves no room for two entries is an error.
func WithMaxBytes(n int64) Option {
	return optionFunc(func(s *operations) error {
		if minimum := int64(2 * entryBytes); n < minimum {
			return fmt.Errorf("redisstore: WithMaxBytes: the number is less than %d; pass more", minimum)
		}
		s.limits.bytes = n
		return nil
	})
}
