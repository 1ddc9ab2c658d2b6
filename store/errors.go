package store

import (
	"errors"
	"fmt"
	"time"
)

// The errors that stores return. Any other error means that the store was
// unreachable or did not answer, and the operation may or may not have taken
// place.
var (
	// ErrInvalid means that a field of the request breaks its rules. Nothing
	// changed.
	ErrInvalid = errors.New("store: invalid request")
	// ErrLost means that there is no record, or that the owner does not hold it
	// or no longer does. Nothing changed.
	ErrLost = errors.New("store: the owner does not hold the record")
	// ErrFull means that there is no room for a new entry. Nothing changed. A
	// store that knows when there may be room returns a [*FullError].
	ErrFull = errors.New("store: the store is full")
	// ErrBusy means that other transactions keep the store busy, or that the
	// store gave up this transaction because of another. Nothing changed.
	ErrBusy = errors.New("store: the store is busy")
	// ErrNotFound means that there is no such record.
	ErrNotFound = errors.New("store: no such record")
	// ErrNotUnknown means that the outcome of the record is not unknown.
	// Nothing changed.
	ErrNotUnknown = errors.New("store: the outcome is not unknown")
	// ErrEnded means that a handler ended the [Transaction] of its call. The
	// call's record is then [Unknown].
	ErrEnded = errors.New("store: the handler ended the transaction of its call; only the guard may")
)

// A FullError is the [ErrFull] of a store that knows how long it will stay
// full.
type FullError struct {
	// RetryAfter is the time until the next entry expires. It is positive. Room
	// can appear earlier only if an entry is removed, for example because a
	// call's record is released.
	RetryAfter time.Duration
}

// Error says that the store is full, and for how long.
func (e *FullError) Error() string {
	return fmt.Sprintf("%s; the next entry expires in %s", ErrFull.Error(), e.RetryAfter.Round(time.Second))
}

// Unwrap returns [ErrFull].
func (e *FullError) Unwrap() error { return ErrFull }
