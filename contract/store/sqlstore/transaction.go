package sqlstore

import (
	"context"
	"database/sql"
	"time"
)

// A transaction is one of the database. SQLite's begins with its write lock,
// which database/sql has no way to request.
type transaction struct {
	DBTX

	commit   func(ctx context.Context) error
	rollback func() // does nothing after commit, except that it gives the connection back
}

// rollbackLimit bounds the end of a transaction whose context may be done.
const rollbackLimit = 5 * time.Second

// begin begins a transaction. shared means that a handler may still use it when
// it is rolled back.
func (s *Store) begin(ctx context.Context, shared bool) (*transaction, error) {
	if s.dialect == SQLite {
		return beginImmediate(ctx, s.db, shared)
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}
	return &transaction{
		DBTX: tx, commit: func(context.Context) error { return tx.Commit() }, rollback: func() { _ = tx.Rollback() },
	}, nil
}

func beginImmediate(ctx context.Context, db *sql.DB, shared bool) (*transaction, error) {
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
			defer conn.Close() //nolint:errcheck // it goes back to the pool
			if committed {
				return
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
			defer cancel()
			var err error
			if shared { // a statement after the rollback would be committed by itself
				_, err = conn.ExecContext(ctx, "PRAGMA query_only = ON")
			}
			if err == nil {
				_, err = conn.ExecContext(ctx, "ROLLBACK")
			}
			if err != nil || shared {
				_ = conn.Raw(func(any) error { return errBadConn })
			}
		},
	}, nil
}
