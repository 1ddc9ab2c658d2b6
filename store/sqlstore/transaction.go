package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// A transaction is a database transaction. In SQLite it begins with the write
// lock, which database/sql has no way to request.
type transaction struct {
	DBTX

	tx       *sql.Tx // nil for a SQLite transaction that no handler uses
	commit   func(ctx context.Context) error
	rollback func() // after commit it only returns the connection
	broken   bool   // the rollback discards a SQLite connection
}

// rollbackLimit bounds a rollback, whose context may already be done.
const rollbackLimit = 5 * time.Second

// begin begins a transaction. shared means that a handler uses it, perhaps even
// after its rollback.
func (s *operations) begin(ctx context.Context, shared bool) (*transaction, error) {
	switch {
	case s.dialect == SQLite && shared:
		return beginShared(ctx, s.db)
	case s.dialect == SQLite:
		return beginImmediate(ctx, s.db)
	}
	tx, err := s.db.BeginTx(ctx, &readCommitted)
	if err != nil {
		return nil, err
	}
	return &transaction{
		DBTX: tx, tx: tx, commit: func(context.Context) error { return tx.Commit() }, rollback: func() { _ = tx.Rollback() },
	}, nil
}

var readCommitted = sql.TxOptions{Isolation: sql.LevelReadCommitted}

// takeLock takes SQLite's write lock and changes nothing.
const takeLock = `UPDATE tc_schema SET version = version WHERE 1 = 0`

// beginShared begins a SQLite transaction as a [sql.Tx], whose statements fail
// once it has ended. It returns the connection to the pool last. Its first
// statement takes the write lock.
func beginShared(ctx context.Context, db *sql.DB) (*transaction, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err == nil {
		if _, err = tx.ExecContext(ctx, takeLock); err != nil {
			_ = tx.Rollback()
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	over, begun := false, &transaction{DBTX: tx, tx: tx}
	begun.commit = func(context.Context) error { return tx.Commit() }
	begun.rollback = func() {
		if over {
			return
		}
		over = true
		err := tx.Rollback()
		if begun.broken || err != nil && !errors.Is(err, sql.ErrTxDone) {
			_ = conn.Raw(func(any) error { return errBadConn })
		}
		_ = conn.Close()
	}
	return begun, nil
}

func beginImmediate(ctx context.Context, db *sql.DB) (*transaction, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		_ = conn.Close()
		return nil, err
	}
	committed, over := false, false
	return &transaction{
		DBTX: conn,
		commit: func(ctx context.Context) error {
			_, err := conn.ExecContext(ctx, "COMMIT")
			committed = err == nil
			return err
		},
		rollback: func() {
			if over {
				return
			}
			over = true
			defer conn.Close() //nolint:errcheck // it returns to the pool
			if committed {
				return
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
			defer cancel()
			if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
				_ = conn.Raw(func(any) error { return errBadConn })
			}
		},
	}, nil
}
