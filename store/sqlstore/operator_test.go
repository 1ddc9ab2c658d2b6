package sqlstore_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// finish claims a key and completes it.
func finish(t *testing.T, s store.Store, key store.Key, state store.RecordState, result string) {
	t.Helper()
	c := claimOf(key)
	claimed, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, claimed.Status)
	require.NoError(t, s.Complete(t.Context(), store.Completion{
		Key: key, Owner: c.Owner, State: state, Result: []byte(result), Retention: time.Hour,
	}))
}

func TestInspect_ReturnsWhatTheDatabaseHolds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		_, err := sqlstore.Inspect(t.Context(), db, d)
		require.ErrorContains(t, err, "run the statements that toolcontract state schema "+d.String()+" prints")
		s := open(t, db, d)
		empty, err := sqlstore.Inspect(t.Context(), db, d)
		require.NoError(t, err)
		assert.Equal(t, sqlstore.Summary{Records: map[store.RecordState]int64{}}, empty)

		finish(t, s, keyOf("ada", "1"), store.Completed, "five!")
		finish(t, s, keyOf("ada", "2"), store.Failed, "six...")
		finish(t, s, keyOf("bob", "1"), store.Unknown, "")
		running := claimOf(keyOf("bob", "2"))
		running.Nonce = store.Nonce{Key: keyOf("bob", "nonce"), TTL: time.Hour}
		crashed := claimOf(keyOf("bob", "3"))
		crashed.Start, crashed.Lease = true, time.Nanosecond
		over := claimOf(keyOf("bob", "4"))
		over.Retention, over.Lease = time.Nanosecond, time.Nanosecond
		for _, c := range []store.Claim{running, crashed, over} {
			_, err := s.Claim(t.Context(), c)
			require.NoError(t, err)
		}
		_, err = s.Add(t.Context(), keyOf("ada", "1"), "kind", time.Hour)
		require.NoError(t, err)

		found, err := sqlstore.Inspect(t.Context(), db, d)
		require.NoError(t, err)
		require.Len(t, found.Unknown, 2)
		assert.Equal(t, keyOf("bob", "3"), found.Unknown[0].Key, "its lease was over first")
		assert.Equal(t, keyOf("bob", "1"), found.Unknown[1].Key)
		assert.WithinDuration(t, time.Now(), found.Unknown[0].Since, time.Minute)
		assert.WithinDuration(t, time.Now().Add(time.Hour), found.Unknown[0].Until, time.Minute)
		found.Unknown = nil
		assert.Equal(t, sqlstore.Summary{
			Principals: 2, Nonces: 1, Counts: 1, ResultBytes: int64(len("five!six...")),
			Records: map[store.RecordState]int64{store.Completed: 1, store.Failed: 1, store.Unknown: 2, store.InProgress: 1},
		}, found)
	})
}

func TestForget_RemovesWhatAPrincipalHasAndKeepsWhatProtects(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		const many = 620 // more than one step removes
		for i := range many {
			finish(t, s, keyOf("ada", fmt.Sprint("call", i)), store.Completed, "result")
		}
		finish(t, s, keyOf("ada", "unknown"), store.Unknown, "")
		finish(t, s, keyOf("bob", "call"), store.Completed, "result")
		running := claimOf(keyOf("ada", "running"))
		running.Start = true
		running.Nonce = store.Nonce{Key: keyOf("ada", "nonce"), TTL: time.Hour}
		begun := claimOf(keyOf("ada", "in a transaction of its own"))
		begun.Lease = time.Nanosecond
		for _, c := range []store.Claim{running, begun} {
			_, err := s.Claim(t.Context(), c)
			require.NoError(t, err)
		}
		_, err := s.Add(t.Context(), keyOf("ada", "call"), "kind", time.Hour)
		require.NoError(t, err)

		n, err := s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "ada"})
		require.NoError(t, err)
		assert.EqualValues(t, many+1, n)
		assert.Equal(t, 3, count(t, db, "tc_records"), "of bob, and two that run")
		assert.Equal(t, 0, count(t, db, "tc_counts"))
		spent, err := s.Spend(t.Context(), running.Nonce, store.NewOwner())
		require.NoError(t, err)
		assert.False(t, spent, "an answer of a person does not count twice")
		require.NoError(t, s.Complete(t.Context(), store.Completion{
			Key: running.Key, Owner: running.Owner, State: store.Completed, Retention: time.Hour,
		}))
		var entries, bytes, kinds int
		ada := keyOf("ada", "")
		row := db.QueryRowContext(t.Context(),
			"SELECT entries, bytes, kinds FROM tc_partitions WHERE part = "+literal(d, ada.Partition[:]))
		require.NoError(t, row.Scan(&entries, &bytes, &kinds))
		assert.Equal(t, []int{3, 0, 0}, []int{entries, bytes, kinds}, "the bounds count what is left")

		n, err = s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "nobody"})
		require.NoError(t, err)
		assert.Zero(t, n)
		assert.Equal(t, 2, count(t, db, "tc_partitions"))
	})
}

// literal returns bytes as the dialect writes them.
func literal(d sqlstore.Dialect, b []byte) string {
	if d == sqlstore.Postgres {
		return fmt.Sprintf(`'\x%x'`, b)
	}
	return fmt.Sprintf("x'%x'", b)
}

func TestOpen_GivesARestoredDatabaseANewEpoch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		first := open(t, db, d).Epoch()
		seen := map[string]bool{"": true, first: true}
		for range 2 {
			_, err := db.ExecContext(t.Context(), "UPDATE tc_schema SET epoch = ''")
			require.NoError(t, err)
			restored := open(t, db, d).Epoch()
			assert.False(t, seen[restored], "each time another one")
			assert.Equal(t, restored, open(t, db, d).Epoch(), "the next process has the same")
			seen[restored] = true
		}
	})
}
