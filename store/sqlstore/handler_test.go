package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

const addBooking = `INSERT INTO bookings (slot) VALUES ('9:00')`

// bookings makes a table without a unique key.
func bookings(t *testing.T, db *sql.DB) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `CREATE TABLE bookings (slot varchar(20) NOT NULL)`)
	require.NoError(t, err)
}

// claimed returns a claim that took its record.
func claimed(t *testing.T, s *sqlstore.Store, id string) store.Claim {
	t.Helper()
	c := claimOf(keyOf("ada", id))
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	return c
}

func done(c store.Claim) store.Completion {
	return store.Completion{
		Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("booked"), Retention: time.Hour,
	}
}

// writes begins the transaction of a claim and writes in it.
func writes(t *testing.T, tx store.Transaction) {
	t.Helper()
	db, err := sqlstore.Tx(tx.Context(t.Context()))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), addBooking)
	require.NoError(t, err)
}

func stateOf(t *testing.T, s *sqlstore.Store, key store.Key) store.RecordState {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	require.NoError(t, err)
	return r.State
}

func TestTx_CommitsTheWritesWithTheRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		writes(t, tx)
		assert.Zero(t, count(t, db, "bookings"), "another connection does not see the row")
		assert.Equal(t, store.InProgress, stateOf(t, s, c.Key))
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		assert.Equal(t, 1, count(t, db, "bookings"))
		assert.Equal(t, store.Completed, stateOf(t, s, c.Key))
		tx.Rollback()
		assert.Equal(t, 1, count(t, db, "bookings"), "a rollback after the commit does nothing")
	})
}

// A goroutine that a handler left behind can write until the commit. Each of
// its writes is either committed or fails.
func TestTx_AWriteBesideTheCommitIsInItOrFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		late, err := sqlstore.Tx(tx.Context(t.Context()))
		require.NoError(t, err)
		first, written := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for ; ; n++ {
				if n == 1 {
					close(first)
				}
				if _, err := late.ExecContext(t.Context(), addBooking); err != nil {
					assert.ErrorIs(t, err, sql.ErrTxDone)
					break
				}
			}
			written <- n
		}()
		<-first
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		assert.Equal(t, <-written, count(t, db, "bookings"))
	})
}

func TestTx_RollbackEndsTheStatementsOfTheHandler(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		ctx := tx.Context(t.Context())
		writes(t, tx)
		inTx, err := sqlstore.Tx(ctx)
		require.NoError(t, err)
		prepared, err := inTx.PrepareContext(ctx, addBooking)
		require.NoError(t, err)
		tx.Rollback()
		_, err = inTx.ExecContext(ctx, addBooking)
		require.Error(t, err)
		require.Error(t, inTx.QueryRowContext(ctx, addBooking).Scan(new(string)))
		_, err = prepared.ExecContext(ctx)
		require.Error(t, err)
		_, err = sqlstore.Tx(ctx)
		require.Error(t, err)
		require.ErrorIs(t, tx.Commit(t.Context(), done(c)), store.ErrLost)
		assert.Zero(t, count(t, db, "bookings"))
		assert.Equal(t, store.InProgress, stateOf(t, s, c.Key), "the claim was not part of the transaction")
		_, err = db.ExecContext(t.Context(), addBooking)
		require.NoError(t, err, "other connections can write")
	})
}

func TestTx_HoldsTheRecordBeyondItsLease(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		now := time.Now().UnixNano()
		s.Freeze(now)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		writes(t, tx)
		s.Freeze(now + int64(2*time.Minute))
		other := claimOf(c.Key)
		result, err := s.Claim(t.Context(), other)
		require.NoError(t, err)
		assert.Equal(t, store.Running, result.Status)
		assert.Positive(t, result.LeaseLeft)
		require.NoError(t, s.Renew(t.Context(), c.Key, c.Owner, time.Minute), "the lock is the lease")

		released := make(chan error)
		go func() { // as the guard does if it does not know whether the transaction was committed
			for {
				err := s.Release(context.Background(), store.Release{Key: c.Key, Owner: c.Owner})
				if err == nil || d != sqlstore.SQLite || err.Error() != store.ErrBusy.Error() {
					released <- err
					return
				}
			}
		}()
		select {
		case err := <-released:
			t.Fatalf("a release did not wait for the transaction: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		require.ErrorIs(t, <-released, store.ErrLost)
		result, err = s.Claim(t.Context(), other)
		require.NoError(t, err)
		assert.Equal(t, store.Finished, result.Status)
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

func TestTx_DoesNotBeginForAnOwnerThatLostItsRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		now := time.Now().UnixNano()
		s.Freeze(now)
		c := claimed(t, s, "1")
		s.Freeze(now + int64(2*time.Minute))
		claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		_, err := sqlstore.Tx(tx.Context(t.Context()))
		require.ErrorIs(t, err, store.ErrLost)
		require.ErrorIs(t, tx.Err(), store.ErrLost)
		require.ErrorIs(t, tx.Commit(t.Context(), done(c)), store.ErrLost)
		assert.Equal(t, store.InProgress, stateOf(t, s, c.Key))

		unused := s.Transaction(c.Key, c.Owner)
		require.ErrorIs(t, unused.Commit(t.Context(), done(c)), store.ErrLost, "also without a write")
	})
}

func TestTx_NeedsOneConnection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		db.SetMaxOpenConns(1)
		s := open(t, db, d)
		bookings(t, db)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for i, end := range []func(store.Transaction, store.Claim) error{
			func(tx store.Transaction, c store.Claim) error { return tx.Commit(ctx, done(c)) },
			func(tx store.Transaction, c store.Claim) error {
				tx.Rollback()
				return s.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner})
			},
		} {
			c := claimed(t, s, string(rune('a'+i)))
			tx := s.Transaction(c.Key, c.Owner)
			writes(t, tx)
			require.NoError(t, s.Renew(ctx, c.Key, c.Owner, time.Minute))
			require.NoError(t, end(tx, c))
		}
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

func TestTx_IsGivenUpAfterAConflict(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	for _, statement := range []string{
		`CREATE TABLE slots (id int PRIMARY KEY, n int)`, `INSERT INTO slots VALUES (0, 0), (1, 0)`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	add := func(tx store.Transaction, row int) error {
		inTx, err := sqlstore.Tx(tx.Context(t.Context()))
		if err != nil {
			return err
		}
		statements := []string{`UPDATE slots SET n = n + 1 WHERE id = 0`, `UPDATE slots SET n = n + 1 WHERE id = 1`}
		_, err = inTx.ExecContext(t.Context(), statements[row])
		return err
	}
	var claims []store.Claim
	var all []store.Transaction
	for i := range 2 {
		c := claimed(t, s, string(rune('a'+i)))
		claims = append(claims, c)
		all = append(all, s.Transaction(c.Key, c.Owner))
		require.NoError(t, add(all[i], i))
	}
	ended := make(chan error, 2)
	for i := range all {
		go func() { ended <- add(all[i], 1-i) }()
	}
	first, second := <-ended, <-ended
	require.NotEqual(t, first == nil, second == nil, "one of them is the victim")
	victim := 0
	if all[1].Err() != nil {
		victim = 1
	}
	require.ErrorIs(t, all[victim].Err(), store.ErrBusy)
	require.ErrorIs(t, add(all[victim], victim), store.ErrBusy, "nothing is written outside of the transaction")
	require.ErrorIs(t, all[victim].Commit(t.Context(), done(claims[victim])), store.ErrBusy)
	require.NoError(t, all[1-victim].Commit(t.Context(), done(claims[1-victim])))
	n := 0
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT sum(n) FROM slots`).Scan(&n))
	assert.Equal(t, 2, n)
	assert.Equal(t, store.InProgress, stateOf(t, s, claims[victim].Key))
}

// The server ends a transaction whose process has stopped, even while one of
// its statements waits.
func TestTx_IsBoundedByTheTimeOfItsHandler(t *testing.T) {
	t.Parallel()
	db := servertest.Postgres(t)
	db.SetMaxOpenConns(1)
	s := open(t, db, sqlstore.Postgres)
	setting := func(q interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}, name string,
	) time.Duration {
		var ms int64
		require.NoError(t, q.QueryRowContext(t.Context(), `SELECT setting FROM pg_settings WHERE name = $1`, name).Scan(&ms))
		return time.Duration(ms) * time.Millisecond
	}
	const idle, statement = "idle_in_transaction_session_timeout", "statement_timeout"
	c := claimed(t, s, "1")
	tx := s.Transaction(c.Key, c.Owner)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	inTx, err := sqlstore.Tx(tx.Context(ctx))
	require.NoError(t, err)
	assert.Positive(t, setting(inTx, idle))
	assert.LessOrEqual(t, setting(inTx, idle), time.Minute)
	assert.Greater(t, setting(inTx, statement), setting(inTx, idle), "the completion may take longer")
	assert.LessOrEqual(t, setting(inTx, statement), 2*time.Minute)
	require.NoError(t, tx.Commit(t.Context(), done(c)))
	assert.Zero(t, setting(db, idle), "the connection is as before")
	assert.Zero(t, setting(db, statement))
}

func TestTx_WritesInOneFile(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, filepath.Join(t.TempDir(), "state.db"))
	db.SetMaxOpenConns(1)
	s := open(t, db, sqlstore.SQLite)
	_, err := db.ExecContext(t.Context(), `ATTACH DATABASE '`+filepath.Join(t.TempDir(), "other.db")+`' AS other`)
	require.NoError(t, err)
	c := claimed(t, s, "1")
	tx := s.Transaction(c.Key, c.Owner)
	_, err = sqlstore.Tx(tx.Context(t.Context()))
	require.ErrorContains(t, err, "keep the tables of the handler in the file of the store")
	require.Error(t, tx.Commit(t.Context(), done(c)))
	assert.Equal(t, store.InProgress, stateOf(t, s, c.Key))
}

// A starting process changes no table: that would wait for the transaction and
// hold up everyone's calls meanwhile. The transaction has its locks once
// everything is written.
func TestOpen_DoesNotWaitForARunningCall(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		writes(t, tx)
		opened := false
		sqlstore.BeforeCommit(tx, func() {
			_, err := sqlstore.Open(db, d, sqlstore.WithMigration())
			opened = assert.NoError(t, err)
		})
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		assert.True(t, opened)
	})
}

// A sweep skips the record that a call holds, and removes the principal's
// others.
func TestStore_SweepsBesideACallThatHoldsItsRecord(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	now := time.Now().UnixNano()
	s.Freeze(now)
	c := claimed(t, s, "held")
	tx := s.Transaction(c.Key, c.Owner)
	writes(t, tx)
	for i := range 20 {
		for _, principal := range []string{"ada", fmt.Sprint("gone", i)} {
			_, err := s.Claim(t.Context(), claimOf(keyOf(principal, fmt.Sprint(i))))
			require.NoError(t, err)
		}
	}
	s.Freeze(now + int64(2*time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, s.Sweep(ctx), "it has not waited for the transaction")
	assert.Equal(t, 1, count(t, db, "tc_records"))
	tx.Rollback()
	require.NoError(t, s.Sweep(t.Context()))
	assert.Equal(t, 0, count(t, db, "tc_records"))
}

func TestTx_NeedsAnAtomicCall(t *testing.T) {
	t.Parallel()
	_, err := sqlstore.Tx(t.Context())
	require.ErrorContains(t, err, "declare Idempotency.Atomic")
}
