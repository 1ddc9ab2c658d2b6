package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/store"
)

// failure returns the error of an operation. A database's error may repeat
// values, so failure keeps only the code of errors that come from neither
// package store nor a context.
func failure(err error) error {
	for _, known := range []error{
		store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrBusy, store.ErrNotFound, store.ErrNotUnknown, store.ErrEnded,
		errAttached,
	} {
		if errors.Is(err, known) {
			return err
		}
	}
	if isPassing(err) {
		return store.ErrBusy
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("sqlstore: %w", known)
		}
	}
	code := code(err)
	if noRoom[code] {
		return store.ErrFull
	}
	if code == "" {
		code = "an error without a code"
	}
	return errors.New("sqlstore: the database answered " + code)
}

// noRoom has the codes for a full disk, SQLite's and PostgreSQL's.
var noRoom = map[string]bool{"(13)": true, "SQLSTATE 53100": true}

// code returns the code of a database's error, or "". A number elsewhere in the
// text does not count: a caller or a trigger may have written it.
func code(err error) string {
	if e, ok := errors.AsType[stateError](err); ok {
		return "SQLSTATE " + e.SQLState()
	}
	if e, ok := errors.AsType[numberError](err); ok {
		return fmt.Sprintf("(%d)", e.Code())
	}
	return ""
}

// A stateError is an error of pgx or lib/pq.
type stateError interface {
	error
	SQLState() string
}

// A numberError is an error of modernc.org/sqlite.
type numberError interface {
	error
	Code() int
}

// isRolledBack reports whether the database rolled a transaction back because of
// another one, so that none of it took place.
func isRolledBack(err error) bool {
	switch code(err) {
	case "SQLSTATE 40001", "SQLSTATE 40P01", "(5)": // (5) is from SQLite, before a transaction begins
		return true
	default:
		return false
	}
}

// isPassing reports whether a failed operation of the store may succeed if
// retried at once: the database rolled it back, or ended its wait for a lock.
// None of it took place.
func isPassing(err error) bool { return isRolledBack(err) || isLocked(err) }

// isConflict reports whether a handler's error wraps PostgreSQL's for a
// transaction that it rolled back because of another one.
func isConflict(err error) bool {
	switch e := err.(type) { //nolint:errorlint // it looks at the whole tree
	case stateError:
		return isRolledBack(e)
	case interface{ Unwrap() error }:
		return isConflict(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), isConflict)
	}
	return false
}

// A lockedError means that a call's transaction has locked its record. The step
// changed nothing.
type lockedError struct{ key store.Key }

func (e *lockedError) Error() string { return store.ErrBusy.Error() }

func (e *lockedError) Unwrap() error { return store.ErrBusy }

// isLocked reports whether a PostgreSQL query did not wait for a lock, or gave
// up waiting.
func isLocked(err error) bool { return code(err) == "SQLSTATE 55P03" }
