package sqlstore_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A driver's error that does not come from the database says that the database
// was not reached, but not where it is.
func TestFailure_ADatabaseThatIsDownIsNotReached(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, ok := listener.Addr().(*net.TCPAddr)
	require.True(t, ok)
	require.NoError(t, listener.Close())
	db, err := sql.Open("pgx", "postgres://ada:hunter2@"+address.String()+"/calls?sslmode=disable")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = sqlstore.Open(db, sqlstore.Postgres)
	require.ErrorContains(t, err, "connection to the database failed or was lost")
	assert.NotContains(t, err.Error(), "hunter2")
	assert.NotContains(t, err.Error(), address.String())
}

// A full disk is not the store's own bound, and no option helps.
func TestFailure_AFullDiskIsNamed(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/state.db"
	db := openSQLite(t, path)
	db.SetMaxOpenConns(1)
	s := open(t, db, sqlstore.SQLite)
	var pages int
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages))
	_, err := db.ExecContext(t.Context(), "PRAGMA max_page_count = 1") // SQLite raises it to the present size
	require.NoError(t, err)
	for range 10_000 {
		_, err = s.Claim(t.Context(), claimOf(keyOf("ada", rand.Text())))
		if err != nil {
			break
		}
	}
	require.ErrorIs(t, err, store.ErrFull)
	require.ErrorContains(t, err, "free space")
	var bound *store.FullError
	assert.NotErrorAs(t, err, &bound, "nothing says when there is room again")
	c := dial(t, s, atomicTool(func(context.Context, bookIn) (bookOut, error) { return bookOut{}, nil }))
	var r *contracttest.Result
	for range 1000 { // a smaller record may still fit
		_, err := db.ExecContext(t.Context(), "PRAGMA max_page_count = 1") // SQLite's connection may be a new one
		require.NoError(t, err)
		if r = c.Call("visits.book", bookIn{rand.Text()}); r.IsError {
			break
		}
	}
	assert.Equal(t, contract.CodeUnavailable, r.Outcome.Code)
	assert.Contains(t, r.Text, "has no space")
}

// If SQLite refuses a commit, it stays in the transaction. The driver ends it.
func TestTx_ARefusedCommitLeavesNoOpenTransaction(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	db.SetMaxOpenConns(1)
	s := open(t, db, sqlstore.SQLite)
	for _, statement := range []string{
		"PRAGMA foreign_keys = ON", "CREATE TABLE bookings (slot text)", "CREATE TABLE rooms (id int PRIMARY KEY)",
		"CREATE TABLE visits (room int REFERENCES rooms (id) DEFERRABLE INITIALLY DEFERRED)",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	refused := true
	c := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		out, err := booking(ctx, in)
		if tx, _ := sqlstore.Tx(ctx); err == nil && refused {
			_, err = tx.ExecContext(ctx, "INSERT INTO visits VALUES (1)")
		}
		return out, err
	}))
	require.True(t, c.Call("visits.book", slot).IsError)
	assert.Zero(t, count(t, db, "bookings"))
	refused = false
	booked(t, c.Call("visits.book", slot), 1)
}
