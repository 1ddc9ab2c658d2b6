package store

import (
	"fmt"
	"time"
)

// A Completion records how an execution ended.
type Completion struct {
	// Key names the record.
	Key Key
	// Owner is the owner that claimed the record.
	Owner Owner
	// State is Completed, Failed or Unknown.
	State State
	// Result is the result that replays return. The Result of an Unknown is for
	// later claims, and only [Store.Get] returns it. It is opaque to the store.
	// Nil means that there is no result to keep; an empty slice stays empty.
	Result []byte
	// Retention is how long the record exists from now. Zero or less removes it
	// at once, so that the next claim executes again. If such a completion is
	// repeated it gets [ErrLost].
	Retention time.Duration
	// Forget is the key of counts that are reset in the same step, as
	// [Store.Reset] does. It has the partition of Key. The zero Key is none.
	Forget Key
}

// Validate returns an error that wraps [ErrInvalid] if the completion breaks
// the rules of its fields. Every store refuses such a completion and changes
// nothing.
func (c Completion) Validate() error {
	switch {
	case c.Key.IsZero():
		return fmt.Errorf("%w: completion: the key is zero", ErrInvalid)
	case c.Owner.IsZero():
		return fmt.Errorf("%w: completion: the owner is zero", ErrInvalid)
	case !c.State.IsFinished() && c.State != Unknown:
		return fmt.Errorf("%w: completion: the state is not completed, failed or unknown", ErrInvalid)
	case !c.Forget.IsZero() && c.Forget.Partition != c.Key.Partition:
		return fmt.Errorf("%w: completion: the counts to forget are of another partition than the key", ErrInvalid)
	}
	return nil
}
