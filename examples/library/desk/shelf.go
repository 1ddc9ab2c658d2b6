package desk

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// schema has the tables of the library, with a few books and one member.
const schema = `
CREATE TABLE IF NOT EXISTS books (
	id TEXT PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, withdrawn INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE IF NOT EXISTS members (card TEXT PRIMARY KEY, name TEXT NOT NULL, fees INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE IF NOT EXISTS holds (
	number INTEGER PRIMARY KEY, book TEXT NOT NULL, card TEXT NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE IF NOT EXISTS loans (
	number INTEGER PRIMARY KEY, book TEXT NOT NULL, card TEXT NOT NULL, returned INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT OR IGNORE INTO books (id, title, author) VALUES
	('b_dune', 'Dune', 'Frank Herbert'), ('b_emma', 'Emma', 'Jane Austen'), ('b_ulysses', 'Ulysses', 'James Joyce');
INSERT OR IGNORE INTO members (card, name, fees) VALUES ('m_anna', 'Anna Berg', 350);`

var errNone = errors.New("desk: not found")

// query returns the rows of a statement, each read by scan.
func query[T any](ctx context.Context, db *sql.DB, scan func(*sql.Rows, *T) error, text string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has the error that counts
	all := []T{}
	for rows.Next() {
		var one T
		if err := scan(rows, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// change runs a statement in the transaction that records the call, and returns
// errNone if it changes no row.
func change(ctx context.Context, text string, args ...any) (number int64, err error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	changed, err := result.RowsAffected()
	if err == nil && changed == 0 {
		err = errNone
	}
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (d *Desk) books(ctx context.Context, where string, args ...any) ([]Book, error) {
	return query(ctx, d.DB, func(r *sql.Rows, b *Book) error {
		return r.Scan(&b.ID, &b.Title, &b.Author, &b.Holds, &b.OnLoan)
	}, `SELECT id, title, author, (SELECT count(*) FROM holds WHERE book = id AND NOT cancelled),
		EXISTS (SELECT 1 FROM loans WHERE book = id AND NOT returned) FROM books WHERE NOT withdrawn AND `+where+` ORDER BY title`, args...)
}

func (d *Desk) book(ctx context.Context, id string) (Book, error) {
	found, err := d.books(ctx, "id = ?", id)
	if err == nil && len(found) == 0 {
		err = ErrNoBook
	}
	if err != nil {
		return Book{}, err
	}
	return found[0], nil
}

func (d *Desk) member(ctx context.Context, card string) (Member, error) {
	found, err := query(ctx, d.DB, func(r *sql.Rows, m *Member) error { return r.Scan(&m.Card, &m.Name, &m.FeeCents) },
		`SELECT card, name, fees FROM members WHERE card = ?`, card)
	if err == nil && len(found) == 0 {
		err = ErrNoMember
	}
	if err != nil {
		return Member{}, err
	}
	return found[0], nil
}

// isHeld reports whether a hold exists and is not cancelled.
func (d *Desk) isHeld(ctx context.Context, number int64) (bool, error) {
	var is bool
	err := d.DB.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM holds WHERE number = ? AND NOT cancelled)`, number).Scan(&is)
	return is, err
}

// Open creates the tables in a database.
func (d *Desk) Open(ctx context.Context, db *sql.DB) error {
	d.DB = db
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("the tables of the library: %w", err)
	}
	return nil
}

// failed returns the failure that tells the caller what was not found.
func failed(err, none error) error {
	if errors.Is(err, errNone) {
		return cmp.Or(none, err)
	}
	return err
}
