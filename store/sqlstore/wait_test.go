package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// besideACall runs a test beside an atomic call of ada that has written, and
// commits the call afterwards. The test must not wait for the call.
func besideACall(t *testing.T, s *sqlstore.Store, db *sql.DB, retention time.Duration, test func(ctx context.Context)) error {
	t.Helper()
	c := claimOf(keyOf("ada", "held"))
	c.Retention = retention
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	tx := s.Transaction(c.Key, c.Owner)
	defer tx.Rollback()
	writes(t, tx)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	test(ctx)
	require.Less(t, time.Since(began), waitLimit, "it has waited for the call")
	return tx.Commit(t.Context(), done(c))
}

// waitLimit is below the lock timeout of MariaDB, and far above what the
// operations take.
const waitLimit = 45 * time.Second

// besideCalls skips SQLite, whose transactions lock the file.
func besideCalls(t *testing.T, test func(t *testing.T, db *sql.DB, d sqlstore.Dialect)) {
	t.Helper()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		if d == sqlstore.SQLite {
			t.Skip("a transaction of SQLite locks the file")
		}
		bookings(t, db)
		test(t, db, d)
	})
}

func TestForget_DoesNotWaitForAnAtomicCall(t *testing.T) {
	t.Parallel()
	besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		for i := range 20 { // before the record of the call and after it
			finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
		}
		require.NoError(t, besideACall(t, s, db, time.Hour, func(ctx context.Context) {
			n, err := s.Forget(ctx, store.Scope{Namespace: "n", Principal: "ada"})
			require.NoError(t, err)
			assert.EqualValues(t, 20, n)
		}))
		assert.Equal(t, store.Completed, stateOf(t, s, keyOf("ada", "held")))
	})
}

// A finished record is not that of an open call: an operation that has waited
// for the end of its call may lock it for a moment.
func TestForget_LeavesNoFinishedRecordThatIsLocked(t *testing.T) {
	t.Parallel()
	besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
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
		awaitWaiting(t, db, d)
		require.NoError(t, locks.Commit())
		require.NoError(t, <-ended)
		assert.Zero(t, count(t, db, "tc_records"))
	})
}

// The lease of both records is over, but a call that runs again holds one.
func TestForget_LeavesTheAbandonedRecordOfAnOpenCall(t *testing.T) {
	t.Parallel()
	besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
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
		n, err := s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "ada"})
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		require.NoError(t, tx.Commit(t.Context(), done(last)))
		assert.Equal(t, store.Completed, stateOf(t, s, last.Key))
	})
}

// A principal makes room for a call while another of its calls is open, whose
// record is running, or whose end has come.
func TestClaim_MakesRoomBesideAnAtomicCall(t *testing.T) {
	t.Parallel()
	for name, retention := range map[string]time.Duration{"running": 3 * time.Hour, "over": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
				const most = 20
				s := open(t, db, d, sqlstore.WithMaxEntries(most))
				now := time.Now().UnixNano()
				s.Freeze(now)
				for i := range most - 1 {
					finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
				}
				err := besideACall(t, s, db, retention, func(ctx context.Context) {
					_, err := s.Claim(ctx, claimOf(keyOf("ada", "next")))
					require.ErrorIs(t, err, store.ErrFull)
					s.Freeze(now + int64(2*time.Hour))
					for i := range most - 1 {
						result, err := s.Claim(ctx, claimOf(keyOf("ada", fmt.Sprint("next", i))))
						require.NoError(t, err)
						require.Equal(t, store.Claimed, result.Status)
					}
					_, err = s.Claim(ctx, claimOf(keyOf("ada", "one too many")))
					require.ErrorIs(t, err, store.ErrFull, "the record of the call is counted")
				})
				if name == "over" {
					require.ErrorIs(t, err, store.ErrLost)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, most, count(t, db, "tc_records"))
			})
		})
	}
}

// A principal whose results take all its room gets more beside an open call.
func TestComplete_DropsResultsBesideAnAtomicCall(t *testing.T) {
	t.Parallel()
	besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d, sqlstore.WithMaxBytes(30*400+20*6))
		for i := range 20 {
			finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
		}
		require.NoError(t, besideACall(t, s, db, time.Hour, func(context.Context) {
			for i := range 8 {
				finish(t, s, keyOf("ada", fmt.Sprint("next", i)), store.Completed, "result")
			}
		}))
	})
}

// The records of the principals are neighbors in the index of results.
func TestComplete_DropsResultsBesideAnAtomicCallOfAnotherPrincipal(t *testing.T) {
	t.Parallel()
	before := keyOf("ada", "").Partition.String()
	name := "bob"
	for keyOf(name, "").Partition.String() > before {
		name += "b"
	}
	first := func(i int) store.Key { return keyOf(name, fmt.Sprint("call", i)) }
	besideCalls(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d, sqlstore.WithMaxBytes(30*400+20*6))
		for i := range 20 {
			finish(t, s, first(i), store.Completed, "result")
		}
		require.NoError(t, besideACall(t, s, db, time.Hour, func(context.Context) {
			finish(t, s, first(20), store.Completed, strings.Repeat("long", 9*100))
		}))
	})
}

// MariaDB may release the lock of a partition before that of a record. A claim
// that gets the one must not take the other for that of a call.
func TestClaim_ALockThatEndsIsNotThatOfACall(t *testing.T) {
	t.Parallel()
	const inAnHour = `UPDATE tc_records SET lease = (timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + 3600000000) * 1000`
	for name, c := range map[string]struct {
		change string // between the look of the claim and its lock
		status store.ClaimStatus
		least  time.Duration
	}{
		"free":     {`UPDATE tc_records SET lease = 1`, store.Claimed, 0},
		"removed":  {`DELETE FROM tc_records`, store.Claimed, 0},
		"finished": {`UPDATE tc_records SET state = 2`, store.Finished, 0},
		"running":  {inAnHour, store.Running, 50 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.MariaDB(t)
			s := open(t, db, sqlstore.MySQL)
			former := claimOf(keyOf("ada", "key"))
			former.Lease = time.Nanosecond
			_, err := s.Claim(t.Context(), former)
			require.NoError(t, err)
			reads := 0
			var late *sql.Tx
			s.OnClock(func() {
				reads++
				switch reads {
				case 2: // the claim has locked the partition
					late, err = db.BeginTx(t.Context(), nil)
					require.NoError(t, err)
					_, err = late.ExecContext(t.Context(), c.change)
					require.NoError(t, err)
				case 3:
					require.NoError(t, late.Commit())
				}
			})
			result, err := s.Claim(t.Context(), claimOf(former.Key))
			require.NoError(t, err)
			assert.Equal(t, c.status, result.Status)
			assert.GreaterOrEqual(t, result.LeaseLeft, c.least)
		})
	}
}
