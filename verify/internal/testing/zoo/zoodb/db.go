// Package zoodb opens the database of package zoo. It is a separate package, so
// that a technique that reads the source of the handlers does not have to read
// SQLite's.
package zoodb

import (
	"database/sql"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Open returns an in-memory database with the table that the tools use. It is
// closed when the test ends.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatalf("zoodb: %v", err)
	}
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(),
		"CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL); INSERT INTO notes VALUES ('n1', 'Buy milk.')"); err != nil {
		t.Fatalf("zoodb: %v", err)
	}
	return db
}
