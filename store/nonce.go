package store

import (
	"fmt"
	"time"
)

// A Nonce can be used once, such as a token or a confirmation; see
// [Store.Spend].
type Nonce struct {
	// Key names the nonce. In a [Claim] it has the partition of the claim's
	// key.
	Key Key
	// TTL is how long the store remembers that the nonce was spent. It is
	// positive, and not shorter than the time for which the thing that the
	// nonce stands for is valid.
	TTL time.Duration
}

// Validate returns an error that wraps [ErrInvalid] if the nonce has no key or
// no positive TTL.
func (n Nonce) Validate() error {
	switch {
	case n.Key.IsZero():
		return fmt.Errorf("%w: nonce: the key is zero", ErrInvalid)
	case n.TTL <= 0:
		return fmt.Errorf("%w: nonce: the TTL is not positive", ErrInvalid)
	}
	return nil
}
