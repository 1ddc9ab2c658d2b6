package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/store"
)

// failure returns the error of an operation. Errors of a database may repeat
// values, so of others than those of package store and of contexts it keeps
// only the code.
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

// noRoom has the codes of databases whose disk is full: of SQLite, PostgreSQL
// and MySQL.
var noRoom = map[string]bool{"(13)": true, "SQLSTATE 53100": true, "Error 1021": true, "Error 1114": true}

// mysqlCode is the code in an error of go-sql-driver/mysql, which has no method
// for it.
var mysqlCode = regexp.MustCompile(`^Error [0-9]{4}`)

// code returns the code of a database's error, or an empty text. A number
// elsewhere in the text is no code: a caller or a trigger may have written it.
func code(err error) string {
	if e, ok := errors.AsType[stateError](err); ok {
		return "SQLSTATE " + e.SQLState()
	}
	if e, ok := errors.AsType[numberError](err); ok {
		return fmt.Sprintf("(%d)", e.Code())
	}
	return mysqlCode.FindString(err.Error())
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

// gaveUp reports whether the database rolled a transaction back because of
// another one, so that none of it took place.
func gaveUp(err error) bool {
	if err == nil {
		return false
	}
	switch code := code(err); code {
	// 1020 is that of innodb_snapshot_isolation, which MariaDB has by default
	// since 11.6. (5) is SQLite's before a transaction begins.
	case "Error 1213", "Error 1205", "Error 1020", "(5)":
		return true
	default:
		return strings.HasSuffix(code, " 40001") || strings.HasSuffix(code, " 40P01")
	}
}

// isPassing reports whether an operation of the store that failed may succeed
// at once: the database gave it up, or ended its wait for a lock. None of it
// took place.
func isPassing(err error) bool { return gaveUp(err) || isLocked(err) }

// isConflict reports whether an error of a handler wraps that of a database
// which gave its transaction up because of another one. The text of an error
// may mention a code for another reason, so only that of a driver counts.
func isConflict(d Dialect, err error) bool {
	switch e := err.(type) { //nolint:errorlint // it looks at the whole tree
	case nil:
		return false
	case interface{ SQLState() string }:
		return d == Postgres && (e.SQLState() == "40001" || e.SQLState() == "40P01")
	case interface{ Unwrap() error }:
		return isConflict(d, e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool { return isConflict(d, err) })
	}
	return d == MySQL && strings.HasPrefix(code(err), "Error ") && gaveUp(err)
}

// A lockedError means that the transaction of a call has locked its record. The
// step changed nothing.
type lockedError struct{ key store.Key }

func (e *lockedError) Error() string { return store.ErrBusy.Error() }

func (e *lockedError) Unwrap() error { return store.ErrBusy }

// isLocked reports whether a query did not wait for the lock of a row, or not
// as long as the lock was held: the codes of PostgreSQL, MySQL and MariaDB.
func isLocked(err error) bool {
	if err == nil {
		return false
	}
	code := code(err)
	return code == "SQLSTATE 55P03" || code == "Error 3572" || code == "Error 1205"
}
