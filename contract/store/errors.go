package store

import "errors"

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
	// ErrFull means that there is no room for a new entry. Nothing changed.
	ErrFull = errors.New("store: the store is full")
	// ErrNotFound means that there is no such record.
	ErrNotFound = errors.New("store: no such record")
	// ErrNotUnknown means that the outcome of the record is not unknown.
	// Nothing changed.
	ErrNotUnknown = errors.New("store: the outcome is not unknown")
)
