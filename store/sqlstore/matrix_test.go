package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A matrix is a call whose transaction ends in one of the tested ways.
type matrix struct {
	*sqlstore.Store

	now   int64
	claim store.Claim
	tx    store.Transaction
}

// pass moves the store's clock.
func (m *matrix) pass(d time.Duration) {
	m.now += int64(d)
	m.Freeze(m.now)
}

// rival claims the call's record, and books in its own transaction.
func (m *matrix) rival(t *testing.T) {
	t.Helper()
	c := claimOf(m.claim.Key)
	result, err := m.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	tx := m.Transaction(c.Key, c.Owner)
	writes(t, tx)
	require.NoError(t, tx.Commit(t.Context(), done(c)))
}

// TestTx_EveryEndLeavesTheRecordAndTheRowsAlike has the rows of the matrix of
// idemlease, a library that completes records in transactions. T4 differs: an
// owner may commit after its lease if no other call has claimed the record. T7
// and T8 are mistakes of a handler that completes its record; the guard does it
// here. The tests of killed processes cover T5 and T6, the crashes.
func TestTx_EveryEndLeavesTheRecordAndTheRowsAlike(t *testing.T) {
	t.Parallel()
	const lease = time.Minute // of claimOf
	rows := map[string]struct {
		end    func(t *testing.T, m *matrix)
		state  store.RecordState
		rows   int
		repeat store.ClaimStatus // of an equal call
	}{
		"T1 a success": {func(t *testing.T, m *matrix) {
			t.Helper()
			require.NoError(t, m.tx.Commit(t.Context(), done(m.claim)))
		}, store.Completed, 1, store.Finished},
		"T2 a failure": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.tx.Rollback()
			require.NoError(t, m.Release(t.Context(), store.Release{Key: m.claim.Key, Owner: m.claim.Owner}))
		}, store.NoRecord, 0, store.Claimed},
		"T2 a failure whose release is lost": {func(_ *testing.T, m *matrix) {
			m.tx.Rollback()
		}, store.InProgress, 0, store.Running},
		"T2 the same, after the lease": {func(_ *testing.T, m *matrix) {
			m.tx.Rollback()
			m.pass(2 * lease)
		}, store.InProgress, 0, store.Claimed},
		"T3 the record belongs to another call": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.tx.Rollback()
			m.pass(2 * lease)
			other, err := m.Claim(t.Context(), claimOf(m.claim.Key))
			require.NoError(t, err)
			require.Equal(t, store.Claimed, other.Status)
			again := m.Transaction(m.claim.Key, m.claim.Owner)
			_, err = sqlstore.Tx(again.Context(t.Context()))
			require.ErrorIs(t, err, store.ErrLost)
			require.ErrorIs(t, again.Commit(t.Context(), done(m.claim)), store.ErrLost)
		}, store.InProgress, 0, store.Running},
		"T4 the lease is over, and no other call has claimed the record": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.pass(2 * lease)
			require.NoError(t, m.tx.Commit(t.Context(), done(m.claim)))
		}, store.Completed, 1, store.Finished},
		"T4 the same, before the transaction begins": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.tx.Rollback()
			m.pass(2 * lease)
			late := m.Transaction(m.claim.Key, m.claim.Owner)
			writes(t, late)
			require.NoError(t, late.Commit(t.Context(), done(m.claim)))
		}, store.Completed, 1, store.Finished},
		"T7 a completion after the commit": {func(t *testing.T, m *matrix) {
			t.Helper()
			require.NoError(t, m.tx.Commit(t.Context(), done(m.claim)))
			other := done(m.claim)
			other.Result = []byte("another result")
			require.NoError(t, m.Complete(t.Context(), other))
			r, err := m.Get(t.Context(), m.claim.Key)
			require.NoError(t, err)
			assert.Equal(t, "booked", string(r.Result))
		}, store.Completed, 1, store.Finished},
		"T8 a second commit": {func(t *testing.T, m *matrix) {
			t.Helper()
			require.NoError(t, m.tx.Commit(t.Context(), done(m.claim)))
			require.ErrorIs(t, m.tx.Commit(t.Context(), done(m.claim)), store.ErrLost)
		}, store.Completed, 1, store.Finished},
		"T9 another call has run meanwhile": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.tx.Rollback() // it has not begun to write
			m.pass(2 * lease)
			m.rival(t)
			late := m.Transaction(m.claim.Key, m.claim.Owner)
			_, err := sqlstore.Tx(late.Context(t.Context()))
			require.ErrorIs(t, err, store.ErrLost)
			require.ErrorIs(t, late.Commit(t.Context(), done(m.claim)), store.ErrLost)
		}, store.Completed, 1, store.Finished},
		"T10 the retention is over": {func(t *testing.T, m *matrix) {
			t.Helper()
			require.NoError(t, m.tx.Commit(t.Context(), done(m.claim)))
			m.pass(2 * time.Hour)
			m.rival(t)
		}, store.Completed, 2, store.Finished},
		"the retention ends before the transaction": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.tx.Rollback()
			m.pass(2 * time.Hour)
			late := m.Transaction(m.claim.Key, m.claim.Owner)
			_, err := sqlstore.Tx(late.Context(t.Context()))
			require.ErrorIs(t, err, store.ErrLost)
		}, store.NoRecord, 0, store.Claimed},
		"the retention ends within the transaction": {func(t *testing.T, m *matrix) {
			t.Helper()
			m.pass(2 * time.Hour)
			require.ErrorIs(t, m.tx.Commit(t.Context(), done(m.claim)), store.ErrLost)
		}, store.NoRecord, 0, store.Claimed},
	}
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		bookings(t, db)
		s, now := open(t, db, d), time.Now().UnixNano()
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				_, err := db.ExecContext(t.Context(), `DELETE FROM bookings`)
				require.NoError(t, err)
				m := &matrix{Store: s, now: now}
				m.pass(0)
				m.claim = claimed(t, s, name)
				m.tx = s.Transaction(m.claim.Key, m.claim.Owner)
				writes(t, m.tx)
				row.end(t, m)
				assert.Equal(t, row.state, stateOf(t, s, m.claim.Key))
				assert.Equal(t, row.rows, count(t, db, "bookings"))
				again, err := s.Claim(t.Context(), claimOf(m.claim.Key))
				require.NoError(t, err)
				assert.Equal(t, row.repeat, again.Status)
				now = m.now
			})
		}
	})
}

// TestTx_OneOfTwoOverlappingCallsBooks lets a call commit after its lease while
// another one claims its record and books, again and again.
func TestTx_OneOfTwoOverlappingCallsBooks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		bookings(t, db)
		s := open(t, db, d)
		now := time.Now().UnixNano()
		for round := range 30 {
			s.Freeze(now)
			first := claimed(t, s, fmt.Sprint(round))
			tx := s.Transaction(first.Key, first.Owner)
			if round%2 == 0 {
				writes(t, tx)
			}
			now += int64(2 * time.Minute)
			s.Freeze(now)
			var booked [2]bool
			var wait sync.WaitGroup
			wait.Go(func() { booked[0] = books(t, tx, first) })
			wait.Go(func() {
				second := claimOf(first.Key)
				for {
					switch result, err := s.Claim(t.Context(), second); {
					case errors.Is(err, store.ErrBusy), err == nil && result.Status == store.Running:
					case err == nil && result.Status == store.Claimed:
						booked[1] = books(t, s.Transaction(second.Key, second.Owner), second)
						return
					default:
						assert.NoError(t, err)
						return
					}
				}
			})
			wait.Wait()
			assert.NotEqual(t, booked[0], booked[1], "one of them has booked")
			require.Equal(t, round+1, count(t, db, "bookings"))
		}
	})
}

// books writes, unless the transaction has begun, and commits. It reports
// whether it committed.
func books(t *testing.T, tx store.Transaction, c store.Claim) bool {
	t.Helper()
	if !tx.Begun() {
		db, err := sqlstore.Tx(tx.Context(t.Context()))
		if err == nil {
			_, err = db.ExecContext(t.Context(), addBooking)
		}
		if err != nil {
			assert.ErrorIs(t, err, store.ErrLost)
			tx.Rollback()
			return false
		}
	}
	err := tx.Commit(t.Context(), done(c))
	if err != nil {
		assert.ErrorIs(t, err, store.ErrLost)
	}
	return err == nil
}
