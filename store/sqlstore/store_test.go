package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

func sqliteURL(path string) string {
	return "file:" + path + "?_pragma=busy_timeout(300)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
}

func openSQLite(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqliteURL(path))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func open(t *testing.T, db *sql.DB, d sqlstore.Dialect, opts ...sqlstore.Option) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(db, d, append(opts, sqlstore.WithMigration())...)
	require.NoError(t, err)
	return s
}

func TestSQLite_FollowsTheRules(t *testing.T) {
	t.Parallel()
	rules(t, sqlstore.SQLite, func(t *testing.T) *sql.DB { return openSQLite(t, filepath.Join(t.TempDir(), "state.db")) })
}

func rules(t *testing.T, d sqlstore.Dialect, database func(t *testing.T) *sql.DB) {
	t.Helper()
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		const maxBytes = 1 << 20
		s := open(t, database(t), d, sqlstore.WithMaxBytes(maxBytes))
		now := time.Now().UnixNano()
		s.Freeze(now)
		return storetest.Harness{Store: s, Exact: true, MaxBytes: maxBytes, Advance: func(d time.Duration) {
			now += int64(d)
			s.Freeze(now)
		}}
	})
}

func TestPostgres_FollowsTheRules(t *testing.T) {
	t.Parallel()
	rules(t, sqlstore.Postgres, func(t *testing.T) *sql.DB { return servertest.Postgres(t) })
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, db *sql.DB, d sqlstore.Dialect)) {
	t.Helper()
	for d, database := range map[sqlstore.Dialect]func(t *testing.T) *sql.DB{
		sqlstore.SQLite:   func(t *testing.T) *sql.DB { return openSQLite(t, filepath.Join(t.TempDir(), "state.db")) },
		sqlstore.Postgres: func(t *testing.T) *sql.DB { return servertest.Postgres(t) },
	} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			test(t, database(t), d)
		})
	}
}

// inPostgres returns a store in an empty PostgreSQL database with the table of
// bookings. SQLite cannot test two open transactions, because one holds the
// file.
func inPostgres(t *testing.T, opts ...sqlstore.Option) (*sql.DB, *sqlstore.Store) {
	t.Helper()
	db := servertest.Postgres(t)
	bookings(t, db)
	return db, open(t, db, sqlstore.Postgres, opts...)
}
