package ledger

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

// ErrNotFound is returned for an object that the account does not have, whether
// another account has it or not.
var ErrNotFound = errors.New("ledger: not found")

//go:embed schema.sql
var schema string

//go:embed demo.sql
var demo string

// A Ledger has the tables of the books in a database. Open makes one. It is
// safe for concurrent use, and several processes may use the same file.
type Ledger struct {
	db  *sql.DB
	now func() time.Time
}

// Open makes the tables with the data of the example in a SQLite database, if
// they do not exist. The caller closes the database.
func Open(ctx context.Context, db *sql.DB) (*Ledger, error) {
	if err := makeTables(ctx, db); err != nil {
		return nil, fmt.Errorf("ledger: make the tables: %w", err)
	}
	return &Ledger{db: db, now: time.Now}, nil
}

// time returns the current time in the form of the tables.
func (l *Ledger) time() string { return l.now().UTC().Format("2006-01-02 15:04:05+00:00") }

// Account returns the books of an account. An unknown account has none.
func (l *Ledger) Account(name string) Books { return Books{ledger: l, account: name} }

// Books are the books of one account. They are safe for concurrent use.
type Books struct {
	ledger  *Ledger
	account string
}

// A Tx is the transaction in which a method changes the books. Its owner
// commits it if the method returns no error.
type Tx interface {
	querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// makeTables makes the tables and the data of the example in a database without
// them. Of several processes that start at once, one makes them.
func makeTables(ctx context.Context, db *sql.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var version int
	err = conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil && version == 0 {
		_, err = conn.ExecContext(ctx, schema+demo+"PRAGMA user_version = 1")
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	_, ended := conn.ExecContext(ctx, end)
	return errors.Join(err, ended)
}
