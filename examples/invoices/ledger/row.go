package ledger

import (
	"database/sql"
	"errors"
)

// A scanner is one row of a result.
type scanner interface{ Scan(dest ...any) error }

// notFound returns ErrNotFound for a query without a row.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// collect reads all rows and closes them.
func collect[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
