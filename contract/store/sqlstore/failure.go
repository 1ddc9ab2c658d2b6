package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolcontract/toolcontract/contract/store"
)

// failure returns the error of an operation. Errors of a database may repeat
// values, so of others than those of package store and of contexts it keeps
// only the code.
func failure(err error) error {
	for _, known := range []error{
		store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrBusy, store.ErrNotFound, store.ErrNotUnknown,
	} {
		if errors.Is(err, known) {
			return err
		}
	}
	if gaveUp(err) {
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

// codes are the forms in which drivers write the code of an error: that of pgx
// and lib/pq, that of go-sql-driver/mysql, and that of SQLite. Drivers have no
// common method for it.
var codes = regexp.MustCompile(`SQLSTATE [0-9A-Z]{5}|^Error [0-9]{4}|\([0-9]{1,4}\)`)

// code returns the code of a database's error, or an empty text.
func code(err error) string { return codes.FindString(err.Error()) }

// gaveUp reports whether the database rolled a transaction back because of
// another one, so that none of it took place.
func gaveUp(err error) bool {
	if err == nil {
		return false
	}
	switch code := code(err); code {
	case "Error 1213", "Error 1205", "(5)": // the last one is SQLite's before a transaction begins
		return true
	default:
		return strings.HasSuffix(code, " 40001") || strings.HasSuffix(code, " 40P01")
	}
}

// A lockedError means that the transaction of a call has locked its record. The
// step changed nothing.
type lockedError struct{ key store.Key }

func (e *lockedError) Error() string { return store.ErrBusy.Error() }

func (e *lockedError) Unwrap() error { return store.ErrBusy }

// isLocked reports whether a query did not wait for the lock of a row: the
// codes of PostgreSQL, MySQL and MariaDB.
func isLocked(err error) bool {
	if err == nil {
		return false
	}
	code := code(err)
	return code == "SQLSTATE 55P03" || code == "Error 3572" || code == "Error 1205"
}
