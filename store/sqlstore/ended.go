package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// Only the guard ends the transaction of a call, but SQL has many ways to end
// one. So this asks the database instead of reading statements. PostgreSQL is
// asked for the transaction's ID. SQLite is asked to BEGIN, which it refuses
// within a transaction, and at the end to release a savepoint, which another
// transaction doesn't have.
//
// The transaction also marks its record as started: if the handler commits and
// the process or its connection then dies, the record shows it.
const (
	startRecord     = `UPDATE tc_records SET started = 1 WHERE part = ? AND id = ?`
	startInPostgres = startRecord + ` RETURNING pg_catalog.txid_current()`
	idInPostgres    = `SELECT pg_catalog.txid_current_if_assigned()`
	beginInSQLite   = "BEGIN"
	setMark         = "SAVEPOINT toolcontract"
	releaseMark     = "RELEASE SAVEPOINT toolcontract"
)

// noMark is SQLite's code for a missing savepoint.
const noMark = "(1)"

// errEndedByHandler is the error of a statement after one that ended the
// transaction.
var errEndedByHandler = fmt.Errorf("sqlstore: Tx: %w; remove the statement that begins, commits or rolls back", store.ErrEnded)

// mark marks the record as started and notes the transaction's identity. The
// caller holds mu.
func (h *handlerTx) mark(ctx context.Context) error {
	if h.store.dialect == Postgres {
		return h.store.row(ctx, h.tx, startInPostgres, h.key.Partition[:], h.key.ID[:]).Scan(&h.id)
	}
	_, err := h.store.exec(ctx, h.tx, startRecord, h.key.Partition[:], h.key.ID[:])
	if err == nil {
		_, err = h.tx.ExecContext(ctx, setMark)
	}
	return err
}

// isGone reports whether the transaction has ended. It changes nothing if it
// hasn't. After an error that is unknown, but then the next statement fails
// too. The caller holds mu.
func (h *handlerTx) isGone(ctx context.Context) (bool, error) {
	if h.store.dialect == Postgres {
		var id sql.NullInt64
		err := h.tx.QueryRowContext(ctx, idInPostgres).Scan(&id)
		return errors.Is(err, sql.ErrTxDone) || err == nil && id.Int64 != h.id, err
	}
	_, err := h.tx.ExecContext(ctx, beginInSQLite)
	return err == nil || errors.Is(err, sql.ErrTxDone), nil
}

// wasEnded reports whether the handler has ended the transaction. It is called
// once, at the end. After an error, only the record shows it; see hasCommitted.
// The caller holds mu.
func (h *handlerTx) wasEnded(ctx context.Context) (bool, error) {
	if h.store.dialect == Postgres {
		return h.isGone(ctx)
	}
	_, err := h.tx.ExecContext(ctx, releaseMark)
	if errors.Is(err, sql.ErrTxDone) || code(err) == noMark {
		return true, nil
	}
	if err == nil {
		err = h.checkFiles(ctx)
	}
	return false, err
}

// hasCommitted reports whether the handler has committed a transaction that is
// over, which the mark in the record shows. It waits until the server has
// rolled back the transaction of a lost connection. If the record cannot be
// read either, a later release of it decides.
func (h *handlerTx) hasCommitted(ctx context.Context) bool {
	if h.wasStarted {
		return false // by an earlier run, whose outcome is unknown anyway
	}
	committed := false
	err := h.store.read(ctx, readRecord+h.store.forUpdate(), h.key, func(row *sql.Row) error {
		r, _, err := scan(row)
		committed = err == nil && r != nil && r.owner == h.owner && r.state == store.InProgress && r.started
		return err
	})
	if err != nil {
		h.store.unclear.Store(h.owner, true)
	}
	return committed
}

// abandonedRetention is how long an unknown outcome is kept if a call failed
// after its handler ended the transaction.
const abandonedRetention = 24 * time.Hour

// abandon records that the call's outcome is unknown, because its handler ended
// the transaction: nothing shows whether it committed. During an outage the
// record stays in progress until its lease ends.
func (h *handlerTx) abandon(ctx context.Context, retention time.Duration) error {
	h.close()
	_ = h.store.Complete(ctx, store.Completion{Key: h.key, Owner: h.owner, State: store.Unknown, Retention: retention})
	h.state.Lock()
	defer h.state.Unlock()
	h.broken = store.ErrEnded
	return h.broken
}
