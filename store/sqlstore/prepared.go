package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// preparedInSQLite are the statements of recorded calls and of replays. Parsing
// and planning them would take a fifth of the time of a call. PostgreSQL's
// driver decides by itself, because a pool in between may give each transaction
// another connection.
var preparedInSQLite = []string{
	enterPartition, leavePartition, readRecord, addRecord, setRecord, completeRecord, removeRecord, readNonce, addNonce,
	readCounts, readKind, addKind, countKind, removeCounts, takeLock, startRecord, attachedFiles,
}

// prepare prepares SQLite's statements. database/sql prepares them again on each
// connection that runs them, and closes them with it. None has rows open when it
// runs again on a connection.
func (s *operations) prepare(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	s.kept = map[string]*sql.Stmt{}
	for _, statement := range preparedInSQLite {
		prepared, err := s.db.PrepareContext(ctx, s.bound(statement))
		if err != nil {
			return fmt.Errorf("sqlstore: Open: the statements of the store do not fit the database: %w", failure(err))
		}
		s.kept[statement] = prepared
	}
	return nil
}

// exec runs a statement in a transaction.
func (s *operations) exec(ctx context.Context, on *transaction, statement string, args ...any) (sql.Result, error) {
	if kept := s.kept[statement]; kept != nil {
		return on.tx.StmtContext(ctx, kept).ExecContext(ctx, args...)
	}
	return on.ExecContext(ctx, s.bound(statement), args...)
}

// row runs a query for one row, in a transaction unless that is nil.
func (s *operations) row(ctx context.Context, on *transaction, query string, args ...any) *sql.Row {
	kept := s.kept[query]
	switch {
	case on == nil && kept == nil:
		return s.db.QueryRowContext(ctx, s.bound(query), args...)
	case kept == nil:
		return on.QueryRowContext(ctx, s.bound(query), args...)
	case on != nil:
		kept = on.tx.StmtContext(ctx, kept)
	}
	return kept.QueryRowContext(ctx, args...)
}
