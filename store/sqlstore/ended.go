package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A savepoint ends with its transaction, so it shows whether the handler, or
// the database for some other reason, has ended the transaction, even with SQL
// that package sql does not understand. In PostgreSQL, where the statements of
// [Tx] cannot end it, only a handler that has the [sql.Tx] pays for the
// savepoint.
//
// The transaction also marks its record as started: if the handler commits and
// the process then dies, the record shows that the outcome is unknown.
const (
	setMark     = "SAVEPOINT toolcontract"
	releaseMark = "RELEASE SAVEPOINT toolcontract"
	startRecord = "UPDATE tc_records SET started = 1 WHERE part = ? AND id = ?"
)

// noMark has the codes for a missing savepoint: PostgreSQL's inside and outside
// a transaction, and SQLite's.
var noMark = map[string]bool{"SQLSTATE 3B001": true, "SQLSTATE 25P01": true, "(1)": true}

// mark marks the record as started and sets the savepoint, once. The caller
// holds mu.
func (h *handlerTx) mark(ctx context.Context) error {
	if h.marked {
		return nil
	}
	_, err := h.tx.tx.ExecContext(ctx, h.store.bound(startRecord), h.key.Partition[:], h.key.ID[:])
	if err == nil {
		_, err = h.tx.tx.ExecContext(ctx, setMark)
	}
	h.marked = err == nil
	return err
}

// wasEnded reports whether the transaction has ended although only the guard
// may end it. The caller holds mu.
func (h *handlerTx) wasEnded(ctx context.Context) bool {
	if h.tx == nil || !h.marked {
		return false
	}
	h.marked = false
	_, err := h.tx.tx.ExecContext(ctx, releaseMark)
	return errors.Is(err, sql.ErrTxDone) || err != nil && noMark[code(err)]
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
