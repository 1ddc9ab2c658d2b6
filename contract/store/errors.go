package store

import "errors"

// The errors that stores return. Any other error means that the store could not
// be reached or did not answer, and that the operation may or may not have
// taken place.
var (
	// ErrInvalid means that the request breaks the rules of its fields. Nothing
	// changed.
	ErrInvalid = errors.New("idempotency: invalid request")
	// ErrLost means that the owner does not hold the record, or no longer, or
	// that there is none. Nothing changed.
	ErrLost = errors.New("idempotency: the record is not the owner's")
	// ErrFull means that there is no room for a new entry. Nothing changed.
	ErrFull = errors.New("idempotency: the store is full")
	// ErrNotFound means that there is no such record.
	ErrNotFound = errors.New("idempotency: no such record")
	// ErrNotUnknown means that the outcome of the record is not unknown.
	// Nothing changed.
	ErrNotUnknown = errors.New("idempotency: the outcome is not unknown")
)
