package redisstore

import "errors"

// defaultMaxEntries bounds the records and nonces of one principal without
// [WithMaxEntries].
const defaultMaxEntries = 100_000

// An Option configures a [Store].
type Option interface{ apply(*Store) error }

type optionFunc func(*Store) error

func (f optionFunc) apply(s *Store) error { return f(s) }

// WithMaxEntries bounds the records and nonces of one principal together, so
// that no principal fills the server for others. At the bound a new claim and a
// new nonce of the principal get [store.ErrFull], until some of its entries
// expire. Default: 100,000. A number below two is an error, because
// a claim with a nonce needs two entries.
func WithMaxEntries(n int) Option {
	return optionFunc(func(s *Store) error {
		if n < 2 {
			return errors.New("redisstore: WithMaxEntries: the number is less than two; pass two or more")
		}
		s.maxEntries = n
		return nil
	})
}
