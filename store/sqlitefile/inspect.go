package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"modernc.org/sqlite"

	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// Inspect returns what the state in a file contains; see [sqlstore.Inspect].
// Processes may keep using the state. Inspect does not need the keys, and
// changes neither the file nor its folder. A file that is not a guard's state
// is an error.
func Inspect(ctx context.Context, path string) (found sqlstore.Summary, err error) {
	path, err = resolvePath(path)
	if err != nil {
		return found, fmt.Errorf("sqlitefile: Inspect: %w", err)
	}
	db, err := readState(ctx, path)
	if err != nil {
		return found, fmt.Errorf("sqlitefile: Inspect: %w", err)
	}
	found, err = sqlstore.Inspect(ctx, db, sqlstore.SQLite)
	if err != nil {
		err = fmt.Errorf("sqlitefile: Inspect: %s: %w", path, err)
	}
	return found, errors.Join(err, db.Close())
}

// readState opens a file for reading if it is a state. The file may be
// anything, so readState writes nothing.
func readState(ctx context.Context, path string) (*sql.DB, error) {
	reading := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(300)"}}
	if _, err := os.Stat(path + "-wal"); err != nil {
		// No process uses the file. Without this setting SQLite would create a
		// log to read it.
		reading.Set("immutable", "1")
	}
	db, err := openDatabase(path, reading)
	if err != nil {
		return nil, err
	}
	found, err := isState(ctx, db)
	switch {
	case err != nil:
		return nil, errors.Join(withRemedy(path, err), db.Close())
	case !found:
		return nil, errors.Join(fmt.Errorf("%s is not the state of a guard: name the file of -state", path), db.Close())
	}
	return db, nil
}

// checkState returns an error for a file that is not a state. It changes
// nothing.
func checkState(ctx context.Context, path string) error {
	db, err := readState(ctx, path)
	if err != nil {
		return err
	}
	return db.Close()
}

// ownTables counts the tables of a state in a file that may be anything: a view
// or a trigger of the same name could run forever.
const ownTables = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'
	AND name IN ('tc_schema', 'tc_partitions', 'tc_records', 'tc_nonces', 'tc_counts')
	AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'tc|_%' ESCAPE '|')`

// isState reports whether a database has the tables of a state. They are
// created in one transaction, after the keys.
func isState(ctx context.Context, db *sql.DB) (bool, error) {
	tables := 0
	if err := db.QueryRowContext(ctx, ownTables).Scan(&tables); err != nil || tables != 5 {
		return false, err
	}
	var version int
	var epoch string
	err := db.QueryRowContext(ctx, "SELECT version, epoch FROM tc_schema").Scan(&version, &epoch)
	if codeOf(err) == codeStatement {
		return false, nil // there is no such table, or it is not ours
	}
	return err == nil, err
}

// codeOf returns SQLite's primary code for an error, or zero.
func codeOf(err error) int {
	if sqlErr, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqlErr.Code() & 0xff
	}
	return 0
}
