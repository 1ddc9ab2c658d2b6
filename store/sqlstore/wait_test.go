package sqlstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// besideACall runs a test beside an atomic call of ada that has written, and
// commits the call afterwards. The test must not wait for the call.
func besideACall(t *testing.T, s *sqlstore.Store, retention time.Duration, test func()) error {
	t.Helper()
	c := claimOf(keyOf("ada", "held"))
	c.Retention = retention
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	tx := s.Transaction(c.Key, c.Owner)
	defer tx.Rollback()
	writes(t, tx)
	limit := time.AfterFunc(time.Minute, tx.Rollback)
	test()
	require.True(t, limit.Stop(), "it has waited for the call")
	return tx.Commit(t.Context(), done(c))
}

func TestForget_DoesNotWaitForAnAtomicCall(t *testing.T) {
	t.Parallel()
	_, s := inPostgres(t)
	for i := range 20 { // before the record of the call and after it
		finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
	}
	require.NoError(t, besideACall(t, s, time.Hour, func() {
		n, err := s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "ada"})
		require.NoError(t, err)
		assert.EqualValues(t, 20, n)
	}))
	assert.Equal(t, store.Completed, stateOf(t, s, keyOf("ada", "held")))
}

// A finished record is not that of an open call: an operation that has waited
// for the end of its call may lock it for a moment.
func TestForget_LeavesNoFinishedRecordThatIsLocked(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	finish(t, s, keyOf("ada", "call"), store.Completed, "result")
	locks, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer locks.Rollback()
	_, err = locks.ExecContext(t.Context(), `SELECT id FROM tc_records FOR UPDATE`)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "ada"})
		ended <- err
	}()
	awaitWaiting(t, db)
	require.NoError(t, locks.Commit())
	require.NoError(t, <-ended)
	assert.Zero(t, count(t, db, "tc_records"))
}

// The lease of both records is over, but a call that runs again holds one.
func TestForget_LeavesTheAbandonedRecordOfAnOpenCall(t *testing.T) {
	t.Parallel()
	_, s := inPostgres(t)
	var last store.Claim
	now := time.Now().UnixNano()
	for i, key := range []string{"left", "again", "again"} {
		s.Freeze(now + int64(i)*int64(time.Hour)/4)
		last = claimOf(keyOf("ada", key))
		last.Start, last.Rerun = true, true
		result, err := s.Claim(t.Context(), last)
		require.NoError(t, err)
		require.Equal(t, store.Claimed, result.Status)
	}
	tx := s.Transaction(last.Key, last.Owner)
	defer tx.Rollback()
	writes(t, tx)
	s.Freeze(now + int64(time.Hour)*3/4)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := s.Forget(ctx, store.Scope{Namespace: "n", Principal: "ada"})
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	require.NoError(t, tx.Commit(t.Context(), done(last)))
	assert.Equal(t, store.Completed, stateOf(t, s, last.Key))
}

// A principal makes room for a call while another of its calls is open, whose
// record is running, or whose end has come.
func TestClaim_MakesRoomBesideAnAtomicCall(t *testing.T) {
	t.Parallel()
	for name, retention := range map[string]time.Duration{"running": 3 * time.Hour, "over": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most = 20
			db, s := inPostgres(t, sqlstore.WithMaxEntries(most))
			now := time.Now().UnixNano()
			s.Freeze(now)
			for i := range most - 1 {
				finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
			}
			err := besideACall(t, s, retention, func() {
				_, err := s.Claim(t.Context(), claimOf(keyOf("ada", "next")))
				require.ErrorIs(t, err, store.ErrFull)
				s.Freeze(now + int64(2*time.Hour))
				for i := range most - 1 {
					result, err := s.Claim(t.Context(), claimOf(keyOf("ada", fmt.Sprint("next", i))))
					require.NoError(t, err)
					require.Equal(t, store.Claimed, result.Status)
				}
				_, err = s.Claim(t.Context(), claimOf(keyOf("ada", "one too many")))
				require.ErrorIs(t, err, store.ErrFull, "the record of the call is counted")
			})
			if name == "over" {
				require.ErrorIs(t, err, store.ErrLost)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, most, count(t, db, "tc_records"))
		})
	}
}

// A principal whose results take all its room gets more beside an open call.
func TestComplete_DropsResultsBesideAnAtomicCall(t *testing.T) {
	t.Parallel()
	_, s := inPostgres(t, sqlstore.WithMaxBytes(30*400+20*6))
	for i := range 20 {
		finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
	}
	require.NoError(t, besideACall(t, s, time.Hour, func() {
		for i := range 8 {
			finish(t, s, keyOf("ada", fmt.Sprint("next", i)), store.Completed, "result")
		}
	}))
}
