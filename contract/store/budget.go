package store

import "fmt"

// A Budget limits the counts at which a [Claim] still takes a record. The zero
// Budget limits nothing.
type Budget struct {
	// Key names the counts; see [Store.Add]. It has the partition of the
	// claim's key.
	Key Key
	// Limit is the count of one kind at which the budget is used up. It is
	// positive.
	Limit int64
}

// IsZero reports whether b is the zero Budget, which limits nothing.
func (b Budget) IsZero() bool { return b == Budget{} }

// IsUsedUp reports whether the highest count of any kind has reached the limit.
func (b Budget) IsUsedUp(highest int64) bool { return !b.IsZero() && highest >= b.Limit }

// Validate returns an error that wraps [ErrInvalid] if the budget has no key or
// no positive limit.
func (b Budget) Validate() error {
	switch {
	case b.Key.IsZero():
		return fmt.Errorf("%w: budget: the key is zero", ErrInvalid)
	case b.Limit <= 0:
		return fmt.Errorf("%w: budget: the limit is not positive", ErrInvalid)
	}
	return nil
}
