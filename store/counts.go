package store

import (
	"fmt"
	"time"
)

// A Count is the state of the counts under one key; see [Store.Max]. It is zero
// if nothing was counted or the window has ended.
type Count struct {
	// Highest is the highest count of any kind.
	Highest int64
	// WindowLeft is the time until the window ends.
	WindowLeft time.Duration
}

// A Budget bounds the counts up to which a [Claim] still takes a record. The
// zero Budget limits nothing.
type Budget struct {
	// Key names the counts; see [Store.Add]. Its partition must be that of the
	// claim's key.
	Key Key
	// Limit is the count of any one kind at which the budget is used up. It
	// must be positive.
	Limit int64
}

// isUsedUp reports whether the highest count of any kind has reached the limit.
func (b Budget) isUsedUp(highest int64) bool { return b != Budget{} && highest >= b.Limit }

func (b Budget) validate() error {
	switch {
	case b.Key.IsZero():
		return fmt.Errorf("%w: budget: the key is zero", ErrInvalid)
	case b.Limit <= 0:
		return fmt.Errorf("%w: budget: the limit is not positive", ErrInvalid)
	}
	return nil
}
