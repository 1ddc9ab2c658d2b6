package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// library adds a booking as a library that takes a [sql.Tx] would, and ends the
// call with end.
func library(end func(*sql.Tx) error) contract.Handler[bookIn, bookOut] {
	return func(ctx context.Context, _ bookIn) (bookOut, error) {
		tx, err := sqlstore.SQLTx(ctx)
		if err != nil {
			return bookOut{}, err
		}
		if _, err := tx.ExecContext(ctx, addBooking); err != nil {
			return bookOut{}, err
		}
		return bookOut{1}, end(tx)
	}
}

func TestSQLTx_IsTheTransactionOfTheCall(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		failing := dial(t, s, atomicTool(library(func(*sql.Tx) error { return errTaken })))
		assert.Equal(t, errTaken.Code(), failing.Call("visits.book", slot).Outcome.Code)
		assert.Zero(t, count(t, db, "bookings"))
		working := dial(t, s, atomicTool(library(func(*sql.Tx) error { return nil })))
		for range 2 {
			booked(t, working.Call("visits.book", slot), 1)
		}
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}

// by ends the transaction with statements that database/sql knows nothing
// about.
func by(statements ...string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(context.Background(), s); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestSQLTx_OnlyTheGuardMayEndIt(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, end := range map[string]func(*sql.Tx) error{
		"a commit":                          (*sql.Tx).Commit,
		"a rollback":                        (*sql.Tx).Rollback,
		"a commit and a failure":            func(tx *sql.Tx) error { return errors.Join(tx.Commit(), broken) },
		"a text that commits":               by("COMMIT"),
		"a text that undoes":                by("ROLLBACK"),
		"a text that begins another one":    by("COMMIT", "BEGIN"),
		"a text that commits and a failure": func(tx *sql.Tx) error { return errors.Join(by("COMMIT")(tx), broken) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
				runs := 0
				var log bytes.Buffer
				logged := guard.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
				c := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
					runs++
					return library(end)(ctx, in)
				}), logged)
				for range 3 {
					r := c.Call("visits.book", slot)
					require.True(t, r.IsError)
					assert.Equal(t, contract.CodeOutcomeUnknown, r.Outcome.Code, r.Text)
				}
				assert.Equal(t, 1, runs)
				assert.Contains(t, log.String(), store.ErrEnded.Error())
				assert.LessOrEqual(t, count(t, db, "bookings"), 1)
			})
		})
	}
}

func TestSQLTx_AfterTheCallIsOver(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		var kept *sql.Tx
		c := dial(t, s, atomicTool(library(func(tx *sql.Tx) error {
			kept = tx
			return nil
		})))
		booked(t, c.Call("visits.book", slot), 1)
		_, err := kept.ExecContext(t.Context(), addBooking)
		require.ErrorIs(t, err, sql.ErrTxDone)
		assert.Equal(t, 1, count(t, db, "bookings"))
	})
}
