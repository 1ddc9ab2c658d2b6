package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"strings"

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
	err = s.of.run(ctx, query, func(ctx context.Context, tx DBTX) (err error) {
		result, err = tx.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

// PrepareContext implements [DBTX].
func (s statements) PrepareContext(ctx context.Context, query string) (prepared *sql.Stmt, err error) {
	err = s.of.run(ctx, query, func(ctx context.Context, tx DBTX) (err error) {
		prepared, err = tx.PrepareContext(ctx, query)
		return err
	})
	return prepared, err
}

// QueryContext implements [DBTX].
func (s statements) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = s.of.run(ctx, query, func(ctx context.Context, tx DBTX) (err error) {
		rows, err = tx.QueryContext(ctx, query, args...)
		return err
	})
	return rows, err
}

// QueryRowContext implements [DBTX].
func (s statements) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	err := s.of.run(ctx, query, func(ctx context.Context, tx DBTX) error {
		row = tx.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	if row == nil { // there is no other way to make one that fails
		over, cancel := context.WithCancelCause(ctx)
		cancel(err)
		row = s.of.store.db.QueryRowContext(over, "SELECT 1")
	}
	return row
}

// run runs a statement with a context that ends with the transaction. It
// records an error after which nothing can be committed.
func (h *handlerTx) run(ctx context.Context, query string, statement func(context.Context, DBTX) error) error {
	if endsTransaction(query) {
		return errors.New("sqlstore: Tx: the guard begins and ends the transaction of a call, in one database; remove the statement " +
			"that begins or ends it, or attaches another database")
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	if err := h.Err(); err != nil {
		return err
	}
	if h.tx == nil || h.ended.Err() != nil {
		return sql.ErrTxDone
	}
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(h.ended, cancel) // later than the statement, because its rows may be read
	err := statement(ctx, h.tx)
	if isRolledBack(err) {
		_ = h.fail(store.ErrBusy)
	}
	return err
}

// endsTransaction reports whether SQL text has a statement that would begin or
// end a transaction, or extend it to another file. Some drivers run several
// statements from one text. A semicolon in a literal counts as one between
// statements, because refusing it does no harm.
func endsTransaction(query string) bool {
	for statement := range strings.SplitSeq(leadingComments.ReplaceAllString(query, ";"), ";") {
		words := strings.Fields(strings.ToUpper(statement))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "BEGIN", "START", "COMMIT", "END", "ABORT", "ATTACH":
			return true
		case "ROLLBACK":
			if len(words) == 1 || words[1] != "TO" && (len(words) < 3 || words[2] != "TO") {
				return true
			}
		}
	}
	return false
}

// leadingComments matches the comments before the first word of a statement.
var leadingComments = regexp.MustCompile(`(?s)(?:^|;)(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)+`)
