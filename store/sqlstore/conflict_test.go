package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// ways are the ways in which a handler can run a statement. The store sees only
// the first one's error.
var ways = map[string]func(ctx context.Context, statement string) error{
	"a statement": func(ctx context.Context, statement string) error {
		tx, err := sqlstore.Tx(ctx)
		if err == nil {
			_, err = tx.ExecContext(ctx, statement)
		}
		return err
	},
	"a prepared statement": func(ctx context.Context, statement string) error {
		tx, err := sqlstore.Tx(ctx)
		if err != nil {
			return err
		}
		prepared, err := tx.PrepareContext(ctx, statement)
		if err != nil {
			return err
		}
		defer prepared.Close()
		_, err = prepared.ExecContext(ctx)
		return err
	},
	"a library": func(ctx context.Context, statement string) error {
		tx, err := sqlstore.SQLTx(ctx)
		if err == nil {
			_, err = tx.ExecContext(ctx, statement)
		}
		return err
	},
}

// Two calls lock two rows in opposite order.
func TestAtomic_ADeadlockRunsTheHandlerAgain(t *testing.T) {
	t.Parallel()
	for name, run := range ways {
		for how, failing := range map[string]func(error) error{
			"as it is":                      func(err error) error { return err },
			"as the cause of a declaration": func(err error) error { return errClosed.Wrap(err) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				crossing(t, run, failing)
			})
		}
	}
	t.Run("a declaration in place of the error of a statement", func(t *testing.T) {
		t.Parallel()
		crossing(t, ways["a statement"], func(error) error { return errClosed.Errorf("closed") })
	})
}

// crossing makes two calls whose handlers lock two rows in opposite order, and
// requires that both succeed because one of them ran again.
func crossing(t *testing.T, run func(context.Context, string) error, failing func(error) error) {
	t.Helper()
	db := servertest.Postgres(t)
	_, err := db.ExecContext(t.Context(), `CREATE TABLE slots (id int PRIMARY KEY, n int)`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO slots VALUES (1, 0), (2, 0)`)
	require.NoError(t, err)
	s := open(t, db, sqlstore.Postgres)
	var runs atomic.Int64
	both := newMeeting(2) // at the first run of each
	cross := func(first, second string) *bookTool {
		isFirst := true
		return atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
			runs.Add(1)
			if err := run(ctx, first); err != nil {
				return bookOut{}, failing(err)
			}
			if isFirst {
				isFirst = false
				both.attend(ctx)
			}
			if err := run(ctx, second); err != nil {
				return bookOut{}, failing(err)
			}
			return bookOut{}, nil
		})
	}
	const one, two = `UPDATE slots SET n = n + 1 WHERE id = 1`, `UPDATE slots SET n = n + 1 WHERE id = 2`
	var wait sync.WaitGroup
	for i, tool := range []*bookTool{cross(one, two), cross(two, one)} {
		client := dial(t, s, tool)
		wait.Go(func() {
			r, err := client.Try("visits.book", bookIn{string(rune('a' + i))})
			if assert.NoError(t, err) {
				assert.Empty(t, r.Outcome.Code, r.Text)
			}
		})
	}
	wait.Wait()
	n := 0
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT sum(n) FROM slots`).Scan(&n))
	assert.Equal(t, 4, n)
	assert.GreaterOrEqual(t, runs.Load(), int64(3), "one of them ran twice")
	assert.Zero(t, db.Stats().InUse, "each transaction has ended")
}

// A meeting starts once everyone has arrived.
type meeting struct {
	absent atomic.Int64
	begun  chan struct{}
}

func newMeeting(n int64) *meeting {
	m := &meeting{begun: make(chan struct{})}
	m.absent.Store(n)
	return m
}

// attend waits for the others, who may never arrive.
func (m *meeting) attend(ctx context.Context) {
	if m.absent.Add(-1) == 0 {
		close(m.begun)
	}
	select {
	case <-m.begun:
	case <-ctx.Done():
	}
}

// conflictingRows makes a function whose first n calls fail, as a conflict of
// serializable transactions does.
func conflictingRows(t *testing.T, n string) *sql.DB {
	t.Helper()
	db := servertest.Postgres(t)
	bookings(t, db)
	_, err := db.ExecContext(t.Context(), `
		CREATE SEQUENCE calls;
		CREATE FUNCTION conflict() RETURNS bigint LANGUAGE plpgsql AS $$
		BEGIN
		  IF nextval('calls') <= `+n+` THEN RAISE EXCEPTION 'a conflict' USING ERRCODE = '40001'; END IF;
		  RETURN 1;
		END $$`)
	require.NoError(t, err)
	return db
}

func TestAtomic_AConflictIsSeenWhereverItShows(t *testing.T) {
	t.Parallel()
	all := map[string]func(ctx context.Context) error{
		"rows": func(ctx context.Context) error {
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return err
			}
			rows, err := tx.QueryContext(ctx, `SELECT CASE WHEN n = 5000 THEN conflict() ELSE n END FROM generate_series(1, 5000) AS n`)
			if err != nil {
				return err
			}
			defer rows.Close()
			read := 0
			for rows.Next() {
				read++
			}
			if rows.Err() == nil && read != 5000 {
				return errors.New("rows are missing")
			}
			return rows.Err()
		},
		"a row": func(ctx context.Context) error {
			tx, err := sqlstore.Tx(ctx)
			if err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, `SELECT conflict()`).Scan(new(int64))
		},
	}
	for name, run := range ways {
		all[name] = func(ctx context.Context) error { return run(ctx, `SELECT conflict()`) }
	}
	for name, run := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for conflicts, first := range map[string]string{"2": "", "3": contract.CodeUnavailable} {
				db := conflictingRows(t, conflicts)
				runs := 0
				client := dial(t, open(t, db, sqlstore.Postgres), atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
					runs++
					out, err := booking(ctx, in)
					return out, errors.Join(err, run(ctx))
				}))
				r := client.Call("visits.book", slot)
				assert.Equal(t, first, r.Outcome.Code, r.Text)
				assert.Equal(t, 3, runs, "a handler runs three times at most")
				booked(t, client.Call("visits.book", slot), 1)
				assert.Equal(t, 1, count(t, db, "bookings"))
			}
		})
	}
}

// A failure that only mentions a conflict is recorded like any other, and so is
// one from a handler that did not use its transaction.
func TestAtomic_ADeclaredFailureWithoutAConflictIsRecorded(t *testing.T) {
	t.Parallel()
	mention := errors.New("no SQLSTATE 40001 or (5) in this transaction")
	for name, book := range map[string]contract.Handler[bookIn, bookOut]{
		"a text": func(ctx context.Context, in bookIn) (bookOut, error) {
			out, err := booking(ctx, in)
			return out, errors.Join(err, errClosed.Wrap(mention))
		},
		"another database": func(context.Context, bookIn) (bookOut, error) { return bookOut{}, errClosed.Wrap(otherConflict{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
				runs := 0
				client := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
					runs++
					return book(ctx, in)
				}))
				for range 2 {
					assert.Equal(t, errClosed.Code(), client.Call("visits.book", slot).Outcome.Code)
				}
				assert.Equal(t, 1, runs)
				assert.Zero(t, count(t, db, "bookings"))
			})
		})
	}
}

// A SQLite transaction cannot conflict, so a conflict that a handler reports
// comes from another database.
func TestAtomic_AConflictOfAnotherDatabaseIsNoneOfSQLite(t *testing.T) {
	t.Parallel()
	db := openSQLite(t, filepath.Join(t.TempDir(), "state.db"))
	bookings(t, db)
	runs := 0
	client := dial(t, open(t, db, sqlstore.SQLite), atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		runs++
		out, err := booking(ctx, in)
		return out, errors.Join(err, errClosed.Wrap(otherConflict{}))
	}))
	assert.Equal(t, errClosed.Code(), client.Call("visits.book", slot).Outcome.Code)
	assert.Equal(t, 1, runs)
}

// otherConflict is an error of a database that the store does not use.
type otherConflict struct{}

func (otherConflict) Error() string    { return "a serialization failure (SQLSTATE 40001)" }
func (otherConflict) SQLState() string { return "40001" }

// A handler that ended the transaction does not run again after a conflict,
// because its writes may be committed.
func TestSQLTx_AConflictAfterAnEndDoesNotRunTheHandlerAgain(t *testing.T) {
	t.Parallel()
	db, s := inPostgres(t)
	runs := 0
	c := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		runs++
		return library(by("COMMIT", `DO $$ BEGIN RAISE EXCEPTION 'a conflict' USING ERRCODE = '40001'; END $$`))(ctx, in)
	}))
	for range 2 {
		r := c.Call("visits.book", slot)
		assert.Equal(t, contract.CodeOutcomeUnknown, r.Outcome.Code, r.Text)
	}
	assert.Equal(t, 1, runs)
	assert.Equal(t, 1, count(t, db, "bookings"))
}

// A process dies after its handler has ended the transaction.
func TestSQLTx_ACommitOfTheHandlerOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		s := open(t, db, d)
		bookings(t, db)
		now := time.Now().UnixNano()
		s.Freeze(now)
		c := claimed(t, s, "1")
		held := s.Transaction(c.Key, c.Owner)
		defer held.Rollback()
		ctx := held.Context(t.Context())
		tx, err := sqlstore.SQLTx(ctx)
		require.NoError(t, err)
		_, err = tx.ExecContext(ctx, addBooking)
		require.NoError(t, err)
		_, err = tx.ExecContext(ctx, "COMMIT")
		require.NoError(t, err)
		s.Freeze(now + int64(2*time.Minute))
		result, err := s.Claim(t.Context(), claimOf(c.Key))
		require.NoError(t, err)
		assert.Equal(t, store.Abandoned, result.Status)
	})
}
