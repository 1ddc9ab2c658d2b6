package sqlstore_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// Processes that start at once all find the tables that one of them has made.
func TestOpen_MakesTheTablesOnceForManyProcesses(t *testing.T) {
	t.Parallel()
	for d, kind := range map[sqlstore.Dialect]struct {
		place func(t *testing.T) string
		open  func(t *testing.T, place string) *sql.DB
	}{
		sqlstore.SQLite:   {func(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }, openSQLite},
		sqlstore.Postgres: {func(t *testing.T) string { return servertest.PostgresURL(t) }, opening("pgx")},
		sqlstore.MySQL:    {func(t *testing.T) string { return servertest.MariaDBURL(t) }, opening("mysql")},
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

// MySQL and MariaDB keep what a process has made that was killed.
func TestOpen_CompletesTablesThatWereHalfMade(t *testing.T) {
	t.Parallel()
	statements := strings.SplitAfter(strings.TrimSpace(sqlstore.Schema(sqlstore.MySQL)), ";")
	for n := range statements {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			db := servertest.MariaDB(t)
			for _, statement := range statements[:n] {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				_, err := db.ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
			if n < len(statements)-1 {
				_, err := sqlstore.Open(db, sqlstore.MySQL)
				require.ErrorContains(t, err, "lacks the tables")
			}
			finish(t, open(t, db, sqlstore.MySQL), keyOf("ada", "1"), store.Completed, "")
			assert.Equal(t, 1, count(t, db, "tc_schema"))
		})
	}
}

func TestOpen_RefusesTablesWithoutTransactions(t *testing.T) {
	t.Parallel()
	db := servertest.MariaDB(t)
	open(t, db, sqlstore.MySQL)
	_, err := db.ExecContext(t.Context(), `ALTER TABLE tc_records ENGINE = MyISAM`)
	require.NoError(t, err)
	_, err = sqlstore.Open(db, sqlstore.MySQL)
	require.ErrorContains(t, err, "ENGINE = InnoDB")
}
