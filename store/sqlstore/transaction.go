package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A transaction is a database transaction, whose statements fail once it has
// ended.
type transaction struct {
	DBTX

	tx       *sql.Tx
	commit   func(ctx context.Context) error
	rollback func() // after commit it only returns the connection
	broken   bool   // the rollback discards a SQLite connection
}

// rollbackLimit bounds what follows a transaction whose context may be done.
const rollbackLimit = 5 * time.Second

// begin begins a transaction. If it is relaxed, a loss of power may undo its
// commit until another one is synced.
func (s *operations) begin(ctx context.Context, relaxed bool) (*transaction, error) {
	if s.dialect == SQLite {
		return s.beginInSQLite(ctx, relaxed && s.syncs > syncsLog)
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

// syncsLog is the value of SQLite's pragma synchronous that syncs the log before
// the file is changed, but not at each commit: a loss of power undoes the last
// commits, and none before the last one that was synced.
const syncsLog = 1

// beginInSQLite begins a transaction, which takes the write lock of the file
// with its first statement that writes.
func (s *operations) beginInSQLite(ctx context.Context, relaxed bool) (*transaction, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if relaxed {
		_, err = conn.ExecContext(ctx, fmt.Sprint("PRAGMA synchronous = ", syncsLog))
	}
	var tx *sql.Tx
	if err == nil {
		tx, err = conn.BeginTx(ctx, nil)
	}
	over, begun := false, &transaction{DBTX: tx, tx: tx}
	begun.commit = func(context.Context) error { return tx.Commit() }
	begun.rollback = func() {
		if over {
			return
		}
		over = true
		var err error
		if tx != nil {
			err = tx.Rollback()
		}
		if relaxed && (err == nil || errors.Is(err, sql.ErrTxDone)) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
			_, err = conn.ExecContext(ctx, fmt.Sprint("PRAGMA synchronous = ", s.syncs))
			cancel()
		}
		if begun.broken || err != nil && !errors.Is(err, sql.ErrTxDone) {
			_ = conn.Raw(func(any) error { return errBadConn })
		}
		_ = conn.Close()
	}
	if err != nil {
		begun.rollback()
		return nil, err
	}
	return begun, nil
}
