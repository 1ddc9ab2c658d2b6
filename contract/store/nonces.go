package store

import (
	"context"
	"fmt"
	"time"
)

// A Nonce is something that may be used once.
type Nonce struct {
	// Key names it. As part of a [Claim] it shares the partition of the claim's key.
	Key Key
	// TTL is for how long it is remembered that the nonce was spent. It is positive, and not shorter than
	// what the nonce stands for is valid.
	TTL time.Duration
}

// IsZero reports whether n is the zero Nonce, which is none.
func (n Nonce) IsZero() bool { return n == Nonce{} }

// Validate returns an error that wraps [ErrInvalid] where the nonce has no key or no TTL.
func (n Nonce) Validate() error {
	switch {
	case n.Key.IsZero():
		return fmt.Errorf("%w: nonce: the key is zero", ErrInvalid)
	case n.TTL <= 0:
		return fmt.Errorf("%w: nonce: the TTL is not positive", ErrInvalid)
	}
	return nil
}

// Nonces remember what was used. Who implements them keeps these rules, which the suite in storetest
// checks:
//
//  1. Spending is one atomic step: of any number of owners, exactly one spends a nonce while its TTL
//     lasts, the first.
//
//  2. To spend again with the same owner is true again, for its first answer may have been lost, and does
//     not lengthen the TTL.
//
//  3. A nonce is never forgotten before its TTL is over; where there is no room the error is [ErrFull].
//
//  4. Nonces and records are apart: the same [Key] may name one of each. A nonce that a [Claim] spent is
//     spent here, and the other way round.
//
//  5. An operation whose context is done before it begins returns an error and changes nothing. A nonce
//     that breaks the rules of its fields, and a zero owner, get an error that wraps [ErrInvalid].
//
// Nonces are safe for concurrent use.
type Nonces interface {
	// Spend uses a nonce and reports whether this owner is the one that did.
	Spend(ctx context.Context, n Nonce, by Owner) (bool, error)
}
