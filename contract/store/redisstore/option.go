package redisstore

import (
	"errors"
	"strings"
)

// DefaultPrefix begins the keys of a [Store] without [WithPrefix].
const DefaultPrefix = "toolcontract"

// DefaultMaxEntries bounds the records and nonces of one principal without
// [WithMaxEntries].
const DefaultMaxEntries = 100_000

const maxPrefix = 64

// An Option configures a [Store].
type Option interface{ apply(*Store) error }

type optionFunc func(*Store) error

func (f optionFunc) apply(s *Store) error { return f(s) }

// WithPrefix sets the beginning of all keys, so that the server may hold other
// data, and its access control list can name these keys. Stores with different
// prefixes do not share entries. Default: [DefaultPrefix]. A prefix that is
// empty, longer than 64 bytes, or has characters other than letters, digits and
// .:_- is an error.
func WithPrefix(prefix string) Option {
	return optionFunc(func(s *Store) error {
		if prefix == "" || len(prefix) > maxPrefix || strings.ContainsFunc(prefix, isForeign) {
			return errors.New("redisstore: WithPrefix: want 1 to 64 letters, digits and .:_-")
		}
		s.prefix = prefix
		return nil
	})
}

// WithMaxEntries bounds the records and nonces of one principal together, so
// that no principal fills the server for others. At the bound a new claim and a
// new nonce of the principal get [store.ErrFull], until some of its entries
// expire. Default: [DefaultMaxEntries]. A number below two is an error, because
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

// isForeign reports whether a prefix must not have a character. Braces would be
// the hash tag, and others have a meaning in glob patterns.
func isForeign(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	default:
		return !strings.ContainsRune(".:_-", r)
	}
}
