package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// enders are statements that end a transaction in at least one of the
// databases. In the other one they fail or do nothing.
var enders = []string{
	"COMMIT", " end;", "ROLLBACK", "/* a /* b */ c */ COMMIT", "-- x\rCOMMIT", "\ufeffCOMMIT", "\ufeffROLLBACK",
	"/* done */ ROLLBACK", "SELECT 1; /* a; b */ -- c\n END", "ROLLBACK AND CHAIN", "COMMIT AND CHAIN", "COMMIT; BEGIN",
	"ROLLBACK; BEGIN", "COMMIT; BEGIN; SELECT * FROM nowhere", "INSERT OR ROLLBACK INTO slots VALUES (1)",
	"INSERT INTO refusals VALUES (1)", addBooking + "; ABORT",
}

// endable creates a table of bookings, and what the statements need: an
// existing row, and a table whose trigger ends SQLite's transaction.
func endable(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
	t.Helper()
	bookings(t, db)
	statements := []string{`CREATE TABLE slots (id int PRIMARY KEY)`, `INSERT INTO slots VALUES (1)`, `CREATE TABLE refusals (id int)`}
	if d == sqlstore.SQLite {
		statements = append(statements, `CREATE TRIGGER refuses BEFORE INSERT ON refusals BEGIN SELECT RAISE(ROLLBACK, 'no'); END`)
	}
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		require.NoError(t, err)
	}
}

// book adds a row for a run of the handler.
func book(ctx context.Context, run int) error {
	tx, err := sqlstore.Tx(ctx)
	if err == nil {
		_, err = tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO bookings (slot) VALUES ('run %d')`, run))
	}
	return err
}

// runsOf counts the handler's runs whose rows exist.
func runsOf(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(DISTINCT slot) FROM bookings WHERE slot <> '9:00'`).Scan(&n))
	return n
}

// However a statement ends the transaction, and however the handler goes on,
// three calls are at most one execution.
func TestThreat165_AStatementThatEndsTheTransactionIsNoticed(t *testing.T) {
	t.Parallel()
	for _, text := range enders {
		for name, end := range map[string]error{"success": nil, "failure": errors.New("broken")} {
			t.Run(text+" "+name, func(t *testing.T) {
				t.Parallel()
				each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
					endable(t, db, d)
					runs := 0
					c := dial(t, open(t, db, d), atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
						runs++
						err := book(ctx, runs)
						if err != nil {
							return bookOut{}, err
						}
						tx, err := sqlstore.Tx(ctx)
						if err != nil {
							return bookOut{}, err
						}
						_, _ = tx.ExecContext(ctx, text)
						_, _ = book(ctx, runs), book(ctx, runs)
						return bookOut{1}, end
					}))
					for range 3 {
						c.Call("visits.book", slot)
					}
					assert.LessOrEqual(t, runsOf(t, db), 1)
					if runs > 1 {
						assert.Zero(t, count(t, db, "bookings"), "the transaction had not ended")
					}
				})
			})
		}
	}
}

// A process dies after a statement has ended the transaction and the handler
// has gone on.
func TestThreat180_AnEndedTransactionOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	for _, text := range enders {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
				endable(t, db, d)
				s, now := open(t, db, d), time.Now().UnixNano()
				s.Freeze(now)
				c := claimed(t, s, "1")
				held := s.Transaction(c.Key, c.Owner)
				ctx := held.Context(t.Context())
				tx, err := sqlstore.Tx(ctx)
				require.NoError(t, err)
				require.NoError(t, book(ctx, 1))
				_, _ = tx.ExecContext(ctx, text)
				_, _ = book(ctx, 1), book(ctx, 1)
				sqlstore.Die(held)
				s.Freeze(now + int64(2*time.Minute))
				again := claimOf(c.Key)
				result, err := s.Claim(t.Context(), again)
				require.NoError(t, err)
				if result.Status != store.Abandoned {
					require.Equal(t, store.Claimed, result.Status)
					next := s.Transaction(again.Key, again.Owner)
					require.NoError(t, book(next.Context(t.Context()), 2))
					require.NoError(t, next.Commit(t.Context(), done(again)))
				}
				assert.LessOrEqual(t, runsOf(t, db), 1)
			})
		})
	}
}

// Savepoints are the handler's own.
func TestTx_AllowsSavepoints(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		endable(t, db, d)
		c := claimed(t, s, "1")
		tx := s.Transaction(c.Key, c.Owner)
		inTx, err := sqlstore.Tx(tx.Context(t.Context()))
		require.NoError(t, err)
		for _, statement := range []string{
			addBooking, "SAVEPOINT a", addBooking, "SAVEPOINT b", "-INSERT INTO slots VALUES (1)", "ROLLBACK TO SAVEPOINT b",
			"RELEASE SAVEPOINT b", "ROLLBACK TO SAVEPOINT a", "/* COMMIT */ SELECT 1", "-SELECT * FROM nowhere", "ROLLBACK TO a",
			"RELEASE a",
		} {
			if fails := statement[0] == '-'; fails {
				_, err := inTx.ExecContext(t.Context(), statement[1:])
				require.Error(t, err, statement)
				continue
			}
			_, err := inTx.ExecContext(t.Context(), statement)
			require.NoError(t, err, statement)
		}
		require.NoError(t, tx.Commit(t.Context(), done(c)))
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

// The error names the mistake, and every later statement is refused.
func TestTx_SaysThatAStatementEndedTheTransaction(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		c := dial(t, s, atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
			tx, err := sqlstore.Tx(ctx)
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, "ROLLBACK")
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, addBooking)
			require.ErrorIs(t, err, store.ErrEnded)
			_, err = tx.QueryContext(ctx, "SELECT 1")
			require.ErrorIs(t, err, store.ErrEnded)
			require.ErrorIs(t, tx.QueryRowContext(ctx, "SELECT 1").Scan(new(int)), store.ErrEnded)
			_, err = tx.PrepareContext(ctx, addBooking)
			require.ErrorIs(t, err, store.ErrEnded)
			return bookOut{}, err
		}))
		assert.Equal(t, contract.CodeOutcomeUnknown, c.Call("visits.book", slot).Outcome.Code)
		assert.Zero(t, count(t, db, "bookings"))
	})
}

// A file that a handler attaches is not part of the commit.
func TestThreat165_ACallWithTwoSQLiteFilesIsNotCommitted(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	attaches := true
	c := dial(t, open(t, db, sqlstore.SQLite), atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		out, err := booking(ctx, in)
		if err == nil && attaches {
			tx, _ := sqlstore.Tx(ctx)
			_, err = tx.ExecContext(ctx, "ATTACH DATABASE '"+t.TempDir()+"/other.db' AS other")
		}
		return out, err
	}))
	require.True(t, c.Call("visits.book", slot).IsError)
	assert.Zero(t, count(t, db, "bookings"))
	attaches = false
	booked(t, c.Call("visits.book", slot), 1)
}

// A tool whose unknown outcomes run again begins with a record that is marked
// as started already.
func TestTx_AFailureOfAnotherExecutionIsNoEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		c := claimOf(keyOf("ada", "1"))
		c.Start = true
		_, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		tx := s.Transaction(c.Key, c.Owner)
		writes(t, tx)
		inTx, err := sqlstore.Tx(tx.Context(t.Context()))
		require.NoError(t, err)
		_, err = inTx.ExecContext(t.Context(), "SELECT * FROM nowhere")
		require.Error(t, err)
		tx.Rollback()
		require.NoError(t, tx.Err())
		assert.Equal(t, store.InProgress, stateOf(t, s, c.Key))
	})
}

// If a handler keeps its call from being recorded, the operator is told so,
// instead of the caller being told to try again forever.
func TestThreat185_AHandlerThatPreventsItsRecordIsTold(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{
		"SET LOCAL search_path = nowhere", "SET LOCAL ROLE sqlstore_guest", "SET TRANSACTION READ ONLY", "SELECT * FROM nowhere",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			db, s := inPostgres(t)
			_, err := db.ExecContext(t.Context(), `DO $$ BEGIN CREATE ROLE sqlstore_guest;
				EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
			require.NoError(t, err)
			var log bytes.Buffer
			prevents := true
			c := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
				out, err := booking(ctx, in)
				if tx, _ := sqlstore.Tx(ctx); err == nil && prevents {
					_, _ = tx.ExecContext(ctx, statement)
				}
				return out, err
			}), guard.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			r := c.Call("visits.book", slot)
			assert.Equal(t, contract.CodeInternalError, r.Outcome.Code, r.Text)
			assert.Contains(t, log.String(), "leave the search_path")
			assert.Zero(t, count(t, db, "bookings"))
			prevents = false
			booked(t, c.Call("visits.book", slot), 1)
		})
	}
}

// Statements, and queries that have been read, leave nothing behind until their
// call ends. (A prepared statement does: package sql keeps it.)
func TestTx_StatementsLeaveNothingBehind(t *testing.T) {
	db := openSQLite(t, t.TempDir()+"/state.db")
	bookings(t, db)
	c := dial(t, open(t, db, sqlstore.SQLite), atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
		tx, err := sqlstore.Tx(ctx)
		if err != nil {
			return bookOut{}, err
		}
		statements := func(n int) (heap uint64, goroutines int) {
			for range n {
				_, err := tx.ExecContext(ctx, "UPDATE bookings SET slot = slot")
				require.NoError(t, err)
				require.NoError(t, tx.QueryRowContext(ctx, "SELECT 1").Scan(new(int)))
				rows, err := tx.QueryContext(ctx, "SELECT 1")
				require.NoError(t, err)
				require.True(t, rows.Next())
				require.NoError(t, rows.Close())
			}
			for range 3 { // what cleanups free goes with the next collection
				runtime.GC()
				time.Sleep(10 * time.Millisecond)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, runtime.NumGoroutine()
		}
		before, running := statements(100)
		const n = 50_000 // of each kind
		after, stillRunning := statements(n)
		assert.Less(t, after, before+(8<<20), "a hundred thousand statements and more")
		assert.Less(t, stillRunning, running+50)
		return bookOut{1}, nil
	}))
	booked(t, c.Call("visits.book", slot), 1)
}
