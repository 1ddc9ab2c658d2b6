package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

func TestSQLite_OfSeveralProcesses(t *testing.T) {
	t.Parallel()
	several(t, sqlstore.SQLite, func(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }, openSQLite)
}

func TestPostgres_OfSeveralProcesses(t *testing.T) {
	t.Parallel()
	several(t, sqlstore.Postgres, func(t *testing.T) string { return servertest.PostgresURL(t) }, opening("pgx"))
}

func opening(driver string) func(t *testing.T, url string) *sql.DB {
	return func(t *testing.T, url string) *sql.DB {
		t.Helper()
		db, err := sql.Open(driver, url)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
}

func several(t *testing.T, d sqlstore.Dialect, place func(*testing.T) string, database func(*testing.T, string) *sql.DB) {
	t.Helper()
	storetest.RunProcesses(t, place, func(t *testing.T, place string) storetest.Harness {
		s := open(t, database(t, place), d)
		return storetest.Harness{Store: s, Advance: s.Shift}
	})
}
