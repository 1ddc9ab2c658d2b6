package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/store"
)

// failure returns the error of an operation. A database's error may repeat
// values, so failure keeps only the code of errors that come from neither
// package store nor a context.
func failure(err error) error {
	for _, known := range []error{
		store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrBusy, store.ErrNotFound, store.ErrNotUnknown, store.ErrEnded,
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
		return fmt.Errorf("%w: the disk of the database is full; free space on it", store.ErrFull)
	}
	if code == "" {
		return errUnreached
	}
	return codeError(code)
}

// errUnreached replaces an error that does not come from the database, because
// its text may contain the address.
var errUnreached = errors.New("sqlstore: the connection to the database failed or was lost")

// A codeError is what failure keeps of a database error: its code.
type codeError string

func (e codeError) Error() string { return "sqlstore: the database answered " + string(e) }

// explainCommit returns the error of a completion that fails every time,
// because of what the handler did to the transaction.
func explainCommit(err error) error {
	code := code(err)
	if class := strings.TrimPrefix(code, "SQLSTATE "); class == "25P02" || class == "25006" ||
		strings.HasPrefix(class, "42") || strings.HasPrefix(class, "3F") {
		return fmt.Errorf("%w: Tx: the record of the call cannot be written in its transaction (%s): return the error of a statement "+
			"that failed, and leave the search_path, the role and the access mode as they are", store.ErrInvalid, code)
	}
	return failure(err)
}

// noRoom has the codes for a full disk, SQLite's and PostgreSQL's.
var noRoom = map[string]bool{"(13)": true, "SQLSTATE 53100": true}

// code returns the code of a database's error, or "". A number elsewhere in the
// text does not count: a caller or a trigger may have written it.
func code(err error) string {
	if e, ok := errors.AsType[codeError](err); ok {
		return string(e)
	}
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
