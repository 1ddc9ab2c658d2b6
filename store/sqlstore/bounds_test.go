package sqlstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

func keyOf(principal, key string) store.Key {
	return store.Scope{Namespace: "n", Principal: principal, Tool: "t"}.Key(key)
}

func claimOf(key store.Key) store.Claim {
	return store.Claim{Key: key, Owner: store.NewOwner(), Lease: time.Minute, Retention: time.Hour}
}

func count(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func TestStore_BoundsWhatOnePrincipalHas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d, sqlstore.WithMaxEntries(2), sqlstore.WithMaxBytes(2*400+10))
		now := time.Now().UnixNano()
		s.Freeze(now)
		first := claimOf(keyOf("ada", "1"))
		first.Nonce = store.Nonce{Key: keyOf("ada", "nonce"), TTL: time.Hour}
		result, err := s.Claim(t.Context(), first)
		require.NoError(t, err)
		require.Equal(t, store.Claimed, result.Status)

		_, err = s.Claim(t.Context(), claimOf(keyOf("ada", "2")))
		full, ok := errors.AsType[*store.FullError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, time.Hour, full.RetryAfter)
		result, err = s.Claim(t.Context(), claimOf(keyOf("bob", "1")))
		require.NoError(t, err, "another principal has room")
		assert.Equal(t, store.Claimed, result.Status)

		require.NoError(t, s.Complete(t.Context(), store.Completion{
			Key: first.Key, Owner: first.Owner, State: store.Completed, Result: []byte("longer than ten"), Retention: time.Hour,
		}))
		record, err := s.Get(t.Context(), first.Key)
		require.NoError(t, err)
		assert.Equal(t, store.Completed, record.State)
		assert.Nil(t, record.Result, "there is no room for it")

		s.Freeze(now + int64(time.Hour))
		result, err = s.Claim(t.Context(), claimOf(keyOf("ada", "2")))
		require.NoError(t, err, "what is over makes room")
		assert.Equal(t, store.Claimed, result.Status)
		assert.Equal(t, 0, count(t, db, "tc_nonces"))
	})
}

func TestStore_SweepsWhatIsOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		now := time.Now().UnixNano()
		s.Freeze(now)
		for i := range 20 {
			gone := keyOf(fmt.Sprint("gone", i), "key")
			_, err := s.Claim(t.Context(), claimOf(gone))
			require.NoError(t, err)
			_, err = s.Add(t.Context(), gone, "kind", time.Minute)
			require.NoError(t, err)
		}
		s.Freeze(now + int64(2*time.Hour))
		assert.Eventually(t, func() bool {
			_, err := s.Add(t.Context(), keyOf("ada", "key"), "kind", time.Minute)
			return assert.NoError(t, err) && count(t, db, "tc_partitions") == 1
		}, time.Minute, time.Millisecond)
		assert.Equal(t, 0, count(t, db, "tc_records"))
		assert.Equal(t, 1, count(t, db, "tc_counts"))
	})
}

// One sweep removes only some rows, so that it holds a principal's lock
// briefly.
func TestStore_ASweepIsBounded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		const most = 256
		s := open(t, db, d)
		now := time.Now().UnixNano()
		s.Freeze(now)
		for i := range most + 2 {
			c := claimOf(keyOf("ada", fmt.Sprint(i)))
			c.Retention += time.Duration(i)
			_, err := s.Claim(t.Context(), c)
			require.NoError(t, err)
		}
		s.Freeze(now + int64(2*time.Hour))
		require.NoError(t, s.Sweep(t.Context()))
		assert.Equal(t, 2, count(t, db, "tc_records"))
		require.NoError(t, s.Sweep(t.Context()))
		assert.Equal(t, 0, count(t, db, "tc_records"))
		assert.Equal(t, 0, count(t, db, "tc_partitions"))
	})
}

func TestOpen_RefusesTablesThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		_, err := sqlstore.Open(db, d)
		require.ErrorContains(t, err, "lacks the tables")
		assert.Empty(t, sqlstore.Schema(0))
		first := open(t, db, d)
		assert.NotEmpty(t, first.Epoch())
		assert.Equal(t, first.Epoch(), open(t, db, d).Epoch(), "a second process finds the tables")
		_, err = db.ExecContext(t.Context(), "UPDATE tc_schema SET version = 2")
		require.NoError(t, err)
		_, err = sqlstore.Open(db, d, sqlstore.WithMigration())
		require.ErrorContains(t, err, "version 2")
	})
}

func TestOpen_RefusesASQLiteThatSeveralProcessesCannotUse(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]string{
		"journal_mode": "_pragma=busy_timeout(300)",
		"busy_timeout": "_pragma=journal_mode(WAL)",
	} {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "state.db")+"?"+settings)
		require.NoError(t, err)
		_, err = sqlstore.Open(db, sqlstore.SQLite, sqlstore.WithMigration())
		require.ErrorContains(t, err, want)
		require.NoError(t, db.Close())
	}
}

func TestOpen_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, filepath.Join(t.TempDir(), "state.db"))
	for name, open := range map[string]func() (*sqlstore.Store, error){
		"the database is nil": func() (*sqlstore.Store, error) { return sqlstore.Open(nil, sqlstore.SQLite) },
		"the dialect is unknown: use SQLite or Postgres; for Redis, use package redisstore": func() (*sqlstore.Store, error) {
			return sqlstore.Open(db, sqlstore.Postgres+1)
		},
		"an option is nil": func() (*sqlstore.Store, error) { return sqlstore.Open(db, sqlstore.SQLite, nil) },
		"WithMaxEntries": func() (*sqlstore.Store, error) {
			return sqlstore.Open(db, sqlstore.SQLite, sqlstore.WithMaxEntries(1))
		},
		"WithMaxBytes": func() (*sqlstore.Store, error) {
			return sqlstore.Open(db, sqlstore.SQLite, sqlstore.WithMaxBytes(799))
		},
	} {
		s, err := open()
		assert.Nil(t, s)
		assert.ErrorContains(t, err, name)
	}
}

// An atomic call's result is counted at the commit. It drops no others then;
// the next claim does.
func TestTx_TheResultsOfAtomicCallsAreBounded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		const calls, size = 8, 1000
		const bound = calls*400 + 3*size
		s := open(t, db, d, sqlstore.WithMaxBytes(bound))
		bookings(t, db)
		call := func(id string, size int) store.Key {
			c := claimed(t, s, id)
			tx := s.Transaction(c.Key, c.Owner)
			writes(t, tx)
			end := done(c)
			end.Result = bytes.Repeat([]byte("r"), size)
			require.NoError(t, tx.Commit(t.Context(), end))
			return c.Key
		}
		kept := func() (sum int) {
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT sum(length(result)) FROM tc_records`).Scan(&sum))
			var counted int
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT bytes FROM tc_partitions`).Scan(&counted))
			assert.Equal(t, sum, counted)
			return sum
		}
		late := 0 // the last result, until the next claim
		if d == sqlstore.Postgres {
			late = size
		}
		for i := range calls - 2 {
			call(fmt.Sprint(i), size)
			assert.LessOrEqual(t, kept()+(i+1)*400, bound+late)
		}
		record, err := s.Get(t.Context(), call("too long", bound))
		require.NoError(t, err)
		assert.Equal(t, store.Completed, record.State)
		assert.Nil(t, record.Result, "it would not fit without the others either")
		last, err := s.Get(t.Context(), call("last", size))
		require.NoError(t, err)
		assert.Len(t, last.Result, size, "the newest result is dropped last")
		assert.LessOrEqual(t, kept()+calls*400, bound+late)
		assert.Equal(t, 3*size+late, kept(), "no more than needed is dropped")
	})
}

// A record with an unknown outcome has a result of its own, which is replaced
// rather than dropped.
func TestComplete_CountsAReplacedResultOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d, sqlstore.WithMaxBytes(2*400+100))
		now := time.Now().UnixNano()
		s.Freeze(now)
		c := claimed(t, s, "unknown")
		unknown := done(c)
		unknown.State, unknown.Result = store.Unknown, make([]byte, 50)
		require.NoError(t, s.Complete(t.Context(), unknown))
		s.Freeze(now + int64(time.Second))
		finish(t, s, keyOf("ada", "another"), store.Completed, string(make([]byte, 40)))
		finished := done(c)
		finished.Result = make([]byte, 90)
		require.NoError(t, s.Complete(t.Context(), finished))
		var counted, kept int64
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT sum(bytes) FROM tc_partitions),
			(SELECT sum(length(result)) FROM tc_records)`).Scan(&counted, &kept))
		assert.Equal(t, kept, counted)
	})
}
