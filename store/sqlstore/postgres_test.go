package sqlstore_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// Another process removes the last entry of a principal, and adds one, while a
// completion waits for the principal's lock.
func TestPostgres_CompletionLocksARowThatWasAddedMeanwhile(t *testing.T) {
	t.Parallel()
	db := opening("pgx")(t, servertest.PostgresURL(t))
	s := open(t, db, sqlstore.Postgres)
	c := claimOf(keyOf("ada", "call"))
	_, err := s.Claim(t.Context(), c)
	require.NoError(t, err)

	other, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer other.Rollback()
	_, err = other.ExecContext(t.Context(), `DELETE FROM tc_partitions`)
	require.NoError(t, err)
	completed := make(chan error, 1)
	go func() {
		completed <- s.Complete(t.Context(), store.Completion{
			Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("done"), Retention: time.Hour,
		})
	}()
	awaitWaiting(t, db)
	_, err = other.ExecContext(t.Context(), `INSERT INTO tc_partitions (part, entries, bytes, kinds) VALUES ($1, 1, 0, 0)`,
		c.Key.Partition[:])
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	require.NoError(t, <-completed)

	var bytes int64
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT bytes FROM tc_partitions`).Scan(&bytes))
	assert.EqualValues(t, len("done"), bytes)
}

// An answer's time is never before that of the record in it.
func TestPostgres_LeaseInAnAnswerIsNotLongerThanTheLease(t *testing.T) {
	t.Parallel()
	url := servertest.PostgresURL(t)
	db, slow := opening("pgx")(t, url), opening("pgx")(t, url)
	slow.SetMaxOpenConns(1)
	s, slowly := open(t, db, sqlstore.Postgres), open(t, slow, sqlstore.Postgres)
	_, err := slowly.Claim(t.Context(), claimOf(keyOf("ada", "first"))) // loads the function
	require.NoError(t, err)
	c := claimOf(keyOf("ada", "call"))
	_, err = s.Claim(t.Context(), c)
	require.NoError(t, err)

	other, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer other.Rollback()
	_, err = other.ExecContext(t.Context(), `LOCK TABLE tc_records IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	rival := c
	rival.Owner[0]++
	answered := make(chan store.ClaimResult, 1)
	go func() {
		result, err := slowly.Claim(t.Context(), rival)
		assert.NoError(t, err)
		answered <- result
	}()
	awaitWaiting(t, db)
	time.Sleep(10 * time.Millisecond)
	_, err = other.ExecContext(t.Context(), `UPDATE tc_records SET lease = tc_clock(0) + $1`, int64(c.Lease))
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	result := <-answered
	assert.Equal(t, store.Running, result.Status)
	assert.LessOrEqual(t, result.LeaseLeft, c.Lease)
}

// awaitWaiting waits until a statement in the database waits for a lock.
func awaitWaiting(t *testing.T, db *sql.DB) {
	t.Helper()
	const query = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	require.Eventually(t, func() bool {
		waiting := 0
		return db.QueryRowContext(t.Context(), query).Scan(&waiting) == nil && waiting > 0
	}, time.Minute, time.Millisecond)
}
