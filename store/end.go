package store

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Completion records how an execution ended.
type Completion struct {
	// Key names the record.
	Key Key
	// Owner is the owner that claimed the record.
	Owner Owner
	// State is Completed, Failed or Unknown.
	State RecordState
	// Result is the result that replays return. If State is Unknown it is kept
	// for later claims, and only [Store.Get] returns it. It is opaque to the
	// store. Nil means that there is no result to keep; an empty slice stays
	// empty.
	Result []byte
	// Retention is how long the record is kept from now on. Zero or less
	// removes it at once, so that the next claim executes again; repeating such
	// a completion returns [ErrLost].
	Retention time.Duration
	// Forget is the key of counts to reset in the same step, as [Store.Reset]
	// does. Its partition must be that of Key. The zero Key resets nothing.
	Forget Key
}

// Validate returns an error that wraps [ErrInvalid] if a field of the
// completion breaks its rules. Every store refuses such a completion and
// changes nothing.
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

// A Release gives up the record of an execution that had no effect.
type Release struct {
	// Key names the record.
	Key Key
	// Owner is the owner that claimed the record.
	Owner Owner
	// Nonce is the key of the claim's nonce if it must count as unspent again
	// because the execution never began. It is given back in the same step, and
	// only if this owner spent it. Its partition must be that of Key. The zero
	// Key gives nothing back.
	Nonce Key
}

// Validate returns an error that wraps [ErrInvalid] if a field of the release
// breaks its rules. Every store refuses such a release and changes nothing.
func (r Release) Validate() error {
	if err := validateOwned("release", r.Key, r.Owner); err != nil {
		return err
	}
	if !r.Nonce.IsZero() && r.Nonce.Partition != r.Key.Partition {
		return fmt.Errorf("%w: release: the nonce is of another partition than the key", ErrInvalid)
	}
	return nil
}

// A Settlement is an operator's declaration about an unknown outcome. Stores
// refuse the zero value.
type Settlement uint8

const (
	// Happened means that the effect took place: the record becomes Completed,
	// without a result.
	Happened Settlement = 1 + iota
	// DidNotHappen means that there was no effect: the record is removed, so
	// that the call can be made again.
	DidNotHappen
)

var settlements = enum.Of[Settlement]("store", "settlement", "", "happened", "did not happen")

// String returns "happened" or "did not happen", "undeclared" for the zero
// value, and text such as "settlement(42)" for an undefined number.
func (s Settlement) String() string { return settlements.String(s) }
