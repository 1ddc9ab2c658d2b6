package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// Processes that start at once all find the tables that one of them makes.
func TestOpen_MakesTheTablesOnceForManyProcesses(t *testing.T) {
	t.Parallel()
	for d, kind := range map[sqlstore.Dialect]struct {
		place func(t *testing.T) string
		open  func(t *testing.T, place string) *sql.DB
	}{
		sqlstore.SQLite:   {func(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }, openSQLite},
		sqlstore.Postgres: {func(t *testing.T) string { return servertest.PostgresURL(t) }, opening("pgx")},
	} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			for range 3 {
				const processes = 12
				place := kind.place(t)
				var dbs []*sql.DB
				for range processes {
					dbs = append(dbs, kind.open(t, place))
				}
				epochs := make([]string, processes)
				begin := make(chan struct{})
				var wait sync.WaitGroup
				for i, db := range dbs {
					wait.Go(func() {
						<-begin
						s, err := sqlstore.Open(db, d, sqlstore.WithMigration())
						if assert.NoError(t, err) {
							epochs[i] = s.Epoch()
						}
					})
				}
				close(begin)
				wait.Wait()
				for _, epoch := range epochs {
					assert.Equal(t, epochs[0], epoch)
				}
				assert.Equal(t, 1, count(t, dbs[0], "tc_schema"))
			}
		})
	}
}

// An operator runs the statements one by one.
func TestOpen_RefusesTablesUntilTheLastStatementHasRun(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, filepath.Join(t.TempDir(), "state.db"))
	for statement := range strings.SplitAfterSeq(strings.TrimSpace(sqlstore.Schema(sqlstore.SQLite)), ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		_, err := sqlstore.Open(db, sqlstore.SQLite)
		require.ErrorContains(t, err, "lacks the tables")
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	_, err := sqlstore.Open(db, sqlstore.SQLite)
	require.NoError(t, err)
}
