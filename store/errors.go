package store

import (
	"errors"
	"fmt"
	"time"
)

// The errors that stores return. Any other error means that the store could not
// be reached or did not answer, and that the operation may or may not have
// taken place.
var (
	// ErrInvalid means that the request breaks the rules of its fields. Nothing
	// changed.
	ErrInvalid = errors.New("store: invalid request")
	// ErrLost means that the owner does not hold the record, no longer holds
	// it, or that there is no record. Nothing changed.
	ErrLost = errors.New("store: the owner does not hold the record")
	// ErrFull means that there is no room for a new entry. Nothing changed. A
	// store that knows when there may be room returns a [*FullError].
	ErrFull = errors.New("store: the store is full")
	// ErrBusy means that other transactions occupy the store, or that one of
	// them made it give up this one. Nothing changed.
	ErrBusy = errors.New("store: the store is busy")
	// ErrNotFound means that there is no such record.
	ErrNotFound = errors.New("store: no such record")
	// ErrNotUnknown means that the outcome of the record is not unknown.
	// Nothing changed.
	ErrNotUnknown = errors.New("store: the outcome is not unknown")
	// ErrEnded means that a handler has ended the [Transaction] of its call.
	// The record of the call is [Unknown] then.
	ErrEnded = errors.New("store: the handler ended the transaction of its call; only the guard may")
)

// A FullError is an [ErrFull] of a store that knows how long it stays full.
type FullError struct {
	// RetryAfter is the time until the next entry expires. It is positive.
	// Until then there is room only if an entry is removed, such as the record
	// of a call that is released.
	RetryAfter time.Duration
}

// Error returns that the store is full, and for how long.
func (e *FullError) Error() string {
	return fmt.Sprintf("%s; the next entry expires in %s", ErrFull.Error(), e.RetryAfter.Round(time.Second))
}

// Unwrap returns [ErrFull].
func (e *FullError) Unwrap() error { return ErrFull }
