package store

import (
	"fmt"
	"time"
)

// A Nonce stands for something that can be used once, such as a token or a
// confirmation; see [Store.Spend].
type Nonce struct {
	// Key names the nonce. In a [Claim] its partition must be that of the
	// claim's key.
	Key Key
	// TTL is how long the store remembers that the nonce was spent. It must be
	// positive, and not shorter than the validity of whatever the nonce stands
	// for.
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
