package sqlstore

import (
	"context"
	"database/sql"
	"runtime"

	"github.com/toolcontract/toolcontract/store"
)

// A DBTX runs statements in a call's transaction. The guard commits it when the
// call succeeds, and rolls it back otherwise. Tools such as sqlc and gorm
// accept one instead of a [sql.Tx].
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// statements is a handler's [DBTX].
type statements struct{ of *handlerTx }

// ExecContext implements [DBTX].
func (s statements) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	end, err := s.of.run(ctx, func(ctx context.Context, tx DBTX) (err error) {
		result, err = tx.ExecContext(ctx, query, args...)
		return err
	})
	end()
	return result, err
}

// PrepareContext implements [DBTX].
func (s statements) PrepareContext(ctx context.Context, query string) (prepared *sql.Stmt, err error) {
	end, err := s.of.run(ctx, func(ctx context.Context, tx DBTX) (err error) {
		prepared, err = tx.PrepareContext(ctx, query)
		return err
	})
	end()
	return prepared, err
}

// QueryContext implements [DBTX].
func (s statements) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	end, err := s.of.run(ctx, func(ctx context.Context, tx DBTX) (err error) {
		rows, err = tx.QueryContext(ctx, query, args...)
		return err
	})
	if err != nil {
		end()
		return rows, err
	}
	runtime.AddCleanup(rows, func(end func()) { end() }, end) // nothing else shows that they have been read
	return rows, nil
}

// QueryRowContext implements [DBTX].
func (s statements) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	end, err := s.of.run(ctx, func(ctx context.Context, tx DBTX) error {
		row = tx.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	if row == nil { // there is no other way to make one that fails
		over, cancel := context.WithCancel(ctx)
		cancel()
		row = s.of.store.db.QueryRowContext(failedContext{over, err}, "SELECT 1")
	}
	runtime.AddCleanup(row, func(end func()) { end() }, end)
	return row
}

// A failedContext is a context that ended with an error.
type failedContext struct {
	context.Context

	err error
}

func (c failedContext) Err() error { return c.err }

// run runs a statement with a context that ends with the transaction, or when
// end is called; rows must not outlive it. It records an error after which
// nothing can be committed. Before each later statement it checks whether an
// earlier one has ended the transaction, because the later one would then
// commit by itself.
func (h *handlerTx) run(ctx context.Context, statement func(context.Context, DBTX) error) (end func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.Err(); err != nil {
		return func() {}, err
	}
	if h.tx == nil || h.ended.Err() != nil {
		return func() {}, sql.ErrTxDone
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(h.ended, cancel)
	end = func() {
		stop()
		cancel()
	}
	if h.ran {
		if gone, _ := h.isGone(ctx); gone {
			return end, h.fail(errEndedByHandler)
		}
	}
	h.ran = true
	err = statement(ctx, h.tx)
	if isRolledBack(err) {
		_ = h.fail(store.ErrBusy)
	}
	return end, err
}
