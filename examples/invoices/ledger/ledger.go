package ledger

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// ErrNotFound is returned for an object that the account does not have, whether
// another account has it or not.
var ErrNotFound = errors.New("ledger: not found")

//go:embed schema.sql
var schema string

//go:embed demo.sql
var demo string

// A Ledger is the database. Open makes one. It is safe for concurrent use, and
// several processes may open the same file.
type Ledger struct {
	db  *sql.DB
	now func() time.Time
}

// Open opens the database in a file, which it creates with the data of the
// example if it does not exist. Only its owner may read the new file. An empty
// path stands for a database in memory, which ends with the Ledger.
func Open(path string) (*Ledger, error) {
	dsn, err := dataSource(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("ledger: open %q: %w", path, err)
	}
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	l := &Ledger{db: db, now: time.Now}
	if err := l.transact(context.Background(), create); err != nil {
		return nil, errors.Join(fmt.Errorf("ledger: open %q: %w", path, err), db.Close())
	}
	return l, nil
}

// Close closes the database.
func (l *Ledger) Close() error { return l.db.Close() }

// time returns the time in the precision that the tables have.
func (l *Ledger) time() time.Time { return l.now().UTC().Truncate(time.Second) }

// Account returns the books of an account. An unknown account has none.
func (l *Ledger) Account(name string) Books { return Books{ledger: l, account: name} }

// Books are the books of one account. They are safe for concurrent use.
type Books struct {
	ledger  *Ledger
	account string
}

// transact runs do in a transaction, which it commits if do returns nil.
func (l *Ledger) transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has no effect after Commit
	if err := do(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// create makes the tables and the data of the example in an empty database.
func create(ctx context.Context, tx *sql.Tx) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version > 0 {
		return err
	}
	_, err := tx.ExecContext(ctx, schema+demo+"PRAGMA user_version = 1")
	return err
}

// dataSource returns the name by which the driver opens path. A write-ahead log
// keeps readers from waiting for the writer. A transaction takes the lock when
// it begins, so that what it has read is still true when it writes.
func dataSource(path string) (string, error) {
	settings := url.Values{
		"_pragma":       {"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)"},
		"_busy_timeout": {"5000"}, // milliseconds
		"_txlock":       {"immediate"},
		"_time_format":  {"sqlite"},
		"_timezone":     {"UTC"},
	}.Encode()
	if path == "" {
		return "file::memory:?" + settings, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: settings}).String(), errors.Join(err, file.Close())
}
