package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// atHigherLevels runs a test on databases whose default isolation level makes
// PostgreSQL give up statements that wait at READ COMMITTED.
func atHigherLevels(t *testing.T, test func(t *testing.T, db *sql.DB)) {
	t.Helper()
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(strings.ReplaceAll(level, " ", "_"), func(t *testing.T) {
			t.Parallel()
			url := servertest.PostgresURL(t)
			var name string
			admin := opening("pgx")(t, url)
			require.NoError(t, admin.QueryRowContext(t.Context(), `SELECT current_database()`).Scan(&name))
			_, err := admin.ExecContext(t.Context(), `ALTER DATABASE `+name+` SET default_transaction_isolation = '`+level+`'`)
			require.NoError(t, err)
			db := opening("pgx")(t, url)
			bookings(t, db)
			test(t, db)
		})
	}
}

// Calls and renewals work the same at every default isolation level.
func TestAtomic_BooksOnceAtEveryIsolationLevel(t *testing.T) {
	t.Parallel()
	const lease = 12 * time.Second
	atHigherLevels(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, sqlstore.Postgres)
		client := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			time.Sleep(lease / 2) // renewals take place
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return bookOut{}, err
			}
			var used string
			if err := tx.QueryRowContext(ctx, `SELECT current_setting('transaction_isolation')`).Scan(&used); err != nil {
				return bookOut{}, err
			}
			assert.Equal(t, "read committed", used)
			return booking(ctx, in)
		}), guard.WithTimes(guard.Times{Lease: lease, StoreTimeout: lease / 3}))
		var wait sync.WaitGroup
		const calls = 8
		for i := range calls {
			for range 2 {
				wait.Go(func() {
					r, err := client.Try("visits.book", bookIn{fmt.Sprint(i)})
					if assert.NoError(t, err) {
						assert.Contains(t, []string{"", contract.CodeKeyInProgress}, r.Outcome.Code, r.Text)
					}
				})
			}
		}
		wait.Wait()
		assert.Equal(t, calls, count(t, db, "bookings"))
	})
}

// Calls of one principal change the same rows all the time.
func TestStore_AConflictAtAHigherIsolationLevelIsNoOutage(t *testing.T) {
	t.Parallel()
	atHigherLevels(t, func(t *testing.T, db *sql.DB) {
		const callers, calls = 32, 20
		db.SetMaxOpenConns(callers)
		s := open(t, db, sqlstore.Postgres)
		var wait sync.WaitGroup
		for i := range callers {
			wait.Go(func() {
				for j := range calls {
					c := claimOf(keyOf("ada", fmt.Sprint(i, "/", j)))
					result, err := s.Claim(t.Context(), c)
					if !assert.NoError(t, err) || !assert.Equal(t, store.Claimed, result.Status) {
						return
					}
					if !assert.NoError(t, s.Complete(t.Context(), done(c))) {
						return
					}
				}
			})
		}
		wait.Wait()
		assert.Equal(t, callers*calls, count(t, db, "tc_records"))
	})
}

// An operation that waited for a running call sees what that call wrote.
func TestStore_WaitsForACallAtAHigherIsolationLevel(t *testing.T) {
	t.Parallel()
	atHigherLevels(t, func(t *testing.T, db *sql.DB) {
		t.Helper()
		s := open(t, db, sqlstore.Postgres)
		c := claimed(t, s, "held")
		tx := s.Transaction(c.Key, c.Owner)
		defer tx.Rollback()
		writes(t, tx)
		ended := make(chan error, 1)
		go func() { ended <- s.Resolve(t.Context(), c.Key, store.Happened) }()
		awaitWaiting(t, db)
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		require.ErrorIs(t, <-ended, store.ErrNotUnknown)
	})
}

// A claim is decided by what it finds after waiting, as at READ COMMITTED.
func TestClaim_FindsWhatItHasWaitedForAtAHigherIsolationLevel(t *testing.T) {
	t.Parallel()
	atHigherLevels(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, sqlstore.Postgres)
		c := claimOf(keyOf("ada", "call"))
		c.Budget = store.Budget{Key: keyOf("ada", "counts"), Limit: 2}
		_, err := s.Add(t.Context(), c.Budget.Key, "kind", time.Hour)
		require.NoError(t, err)
		other, err := db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer other.Rollback()
		_, err = other.ExecContext(t.Context(), `SELECT part FROM tc_partitions FOR UPDATE`)
		require.NoError(t, err)
		claimed := make(chan store.ClaimResult, 1)
		go func() {
			result, err := s.Claim(t.Context(), c)
			assert.NoError(t, err)
			claimed <- result
		}()
		awaitWaiting(t, db)
		_, err = other.ExecContext(t.Context(), `UPDATE tc_counts SET n = 2`)
		require.NoError(t, err)
		require.NoError(t, other.Commit())
		assert.Equal(t, store.Exhausted, (<-claimed).Status)
	})
}

// An operator's lock_timeout makes no answer untrue: a claim of a new key that
// waits for its principal doesn't mean that the call is running.
func TestPostgres_ALockTimeoutIsNoRunningCall(t *testing.T) {
	t.Parallel()
	url := servertest.PostgresURL(t)
	s := open(t, opening("pgx")(t, url), sqlstore.Postgres)
	impatient := open(t, opening("pgx")(t, url+" lock_timeout=20"), sqlstore.Postgres)
	running := claimed(t, s, "running")
	for name, operation := range map[string]func() error{
		"claim": func() error {
			result, err := impatient.Claim(t.Context(), claimOf(keyOf("ada", "new")))
			assert.Equal(t, store.Claimed, result.Status)
			return err
		},
		"complete": func() error { return impatient.Complete(t.Context(), done(running)) },
	} {
		tx, err := opening("pgx")(t, url).BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(t.Context(), `SELECT part FROM tc_partitions FOR UPDATE`)
		require.NoError(t, err)
		released := make(chan error, 1)
		time.AfterFunc(60*time.Millisecond, func() { released <- tx.Rollback() })
		assert.NoError(t, operation(), name)
		require.NoError(t, <-released, name)
	}
}
