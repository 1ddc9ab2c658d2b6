package store

import "fmt"

// A Budget bounds what may have been counted when a [Claim] takes a record. The zero Budget bounds nothing.
type Budget struct {
	// Key is what is counted under; see [Counter]. It shares the partition of the claim's key.
	Key Key
	// Limit is how often things of one kind may have happened until the budget is used up. It is positive.
	Limit int64
}

// IsZero reports whether b is the zero Budget, which bounds nothing.
func (b Budget) IsZero() bool { return b == Budget{} }

// IsUsedUp reports whether the highest count of any kind has reached the limit.
func (b Budget) IsUsedUp(highest int64) bool { return !b.IsZero() && highest >= b.Limit }

// Validate returns an error that wraps [ErrInvalid] where the budget has no key or no limit.
func (b Budget) Validate() error {
	switch {
	case b.Key.IsZero():
		return fmt.Errorf("%w: budget: the key is zero", ErrInvalid)
	case b.Limit <= 0:
		return fmt.Errorf("%w: budget: the limit is not positive", ErrInvalid)
	}
	return nil
}
