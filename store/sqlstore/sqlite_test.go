package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A statementCounter is SQLite's driver. It counts the statements that are
// parsed, and those that run prepared.
type statementCounter struct {
	of             driver.Driver
	dsn            string
	parsed, reused atomic.Int64
}

func (d *statementCounter) Connect(context.Context) (driver.Conn, error) {
	conn, err := d.of.Open(d.dsn)
	return countedConn{conn, d}, err
}

func (d *statementCounter) Driver() driver.Driver { return d.of }

type countedConn struct {
	driver.Conn

	counter *statementCounter
}

func (c countedConn) Prepare(query string) (driver.Stmt, error) {
	c.counter.parsed.Add(1)
	prepared, err := c.Conn.Prepare(query)
	return countedStmt{prepared, c.counter}, err
}

type countedStmt struct {
	driver.Stmt

	counter *statementCounter
}

func (s countedStmt) Exec(args []driver.Value) (driver.Result, error) {
	s.counter.reused.Add(1)
	return s.Stmt.Exec(args) //nolint:staticcheck // database/sql falls back to it
}

func (s countedStmt) Query(args []driver.Value) (driver.Rows, error) {
	s.counter.reused.Add(1)
	return s.Stmt.Query(args) //nolint:staticcheck // database/sql falls back to it
}

// recordedCall makes the claim and the completion of a call, and returns the
// claim.
func recordedCall(t *testing.T, s store.Store, id string) store.Claim {
	t.Helper()
	c := claimOf(keyOf("ada", id))
	c.Start = true
	c.Budget = store.Budget{Key: keyOf("ada", "counts"), Limit: 2}
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, result.Status)
	require.NoError(t, s.Complete(t.Context(), store.Completion{
		Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("done"), Retention: time.Hour, Forget: c.Budget.Key,
	}))
	return c
}

func TestSQLite_RecordedCallsAndReplaysParseNoStatementAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	counter := &statementCounter{of: openSQLite(t, path).Driver(), dsn: sqliteURL(path)}
	db := sql.OpenDB(counter)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	s := open(t, db, sqlstore.SQLite)
	c := recordedCall(t, s, "first")
	counter.parsed.Store(0)
	counter.reused.Store(0)
	recordedCall(t, s, "second")
	assert.Zero(t, counter.parsed.Load())
	assert.EqualValues(t, 5, counter.reused.Swap(0), "a look at the record, and the partition and the record twice")
	c.Owner = store.NewOwner()
	result, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, store.Finished, result.Status)
	assert.Zero(t, counter.parsed.Load())
	assert.EqualValues(t, 1, counter.reused.Load())
}

// syncs returns how often the log was synced.
func (d *disk) syncs() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.writes {
		if w.kind == isSync && w.suffix == logSuffix {
			n++
		}
	}
	return n
}

func TestSQLite_OnlyTheClaimOfARecordedCallWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	for synchronous, syncs := range map[int]int{1: 0, 2: 1, 3: 1} {
		t.Run(strconv.Itoa(synchronous), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			d := newDisk(t, path)
			db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(300)&_pragma=journal_mode(WAL)&_pragma=synchronous("+
				strconv.Itoa(synchronous)+")&vfs="+recordingVFS)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			db.SetMaxOpenConns(1)
			s := open(t, db, sqlstore.SQLite)
			recordedCall(t, s, "first") // syncs the header of the log
			before := d.syncs()
			recordedCall(t, s, "second")
			assert.Equal(t, syncs, d.syncs()-before)
			found := 0
			require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&found))
			assert.Equal(t, synchronous, found, "what else uses the connection finds its setting")
		})
	}
}
