package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

var _ store.Transactor = (*operations)(nil)

// Tx returns the transaction in which an atomic tool writes and its outcome is
// recorded. ctx is the handler's context. A nested call of a tool that is not
// atomic does not get the transaction. The transaction begins with the first
// use, at the isolation level read committed. In SQLite it holds the file's
// write lock, for which Tx waits about ten seconds. Other connections do not
// see its writes before the call has succeeded, and may wait for it. So call
// other systems before Tx, not after.
//
// From the handler, return any error of Tx, a statement or rows, or an error
// that wraps it: if another transaction caused it, the guard runs the handler
// again, even if a declared failure wraps the error.
func Tx(ctx context.Context) (DBTX, error) {
	h, ok := ctx.Value(handlerKey{}).(*handlerTx)
	if !ok || h.key.IsZero() {
		return nil, errors.New("sqlstore: Tx: this is not the context of an atomic call: declare Idempotency.Atomic, and pass the " +
			"context of the handler")
	}
	h.begun.Store(true)
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	return statements{h}, nil
}

// SQLTx is [Tx] for a library that takes only a [sql.Tx], such as a queue whose
// jobs are committed with the call. Neither the library nor the handler may end
// the transaction. If one of them does, even with a statement such as COMMIT,
// the call is no longer atomic: it ends with the code outcome_unknown, and so
// does an equal call. This holds even if the process dies first, unless the
// statement was a ROLLBACK and others followed it: statements on the [sql.Tx]
// are not checked one by one.
func SQLTx(ctx context.Context) (*sql.Tx, error) {
	if _, err := Tx(ctx); err != nil {
		return nil, err
	}
	h, _ := ctx.Value(handlerKey{}).(*handlerTx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tx == nil {
		return nil, sql.ErrTxDone
	}
	h.ran = true
	return h.tx.tx, nil
}

type handlerKey struct{}

// A handlerTx is the transaction of one run of a handler.
type handlerTx struct {
	store *operations
	key   store.Key
	owner store.Owner
	ended context.Context //nolint:containedctx // ends with the transaction, and so do the handler's statements
	end   context.CancelFunc

	mu         sync.Mutex // locked while the transaction begins or ends, or a statement begins
	tx         *transaction
	id         int64 // of the transaction, in PostgreSQL
	wasStarted bool  // an earlier run marked the record as started
	ran        bool  // the handler has sent a statement
	begun      atomic.Bool
	state      sync.Mutex // for broken; it may be locked while mu is locked
	broken     error
}

// Transaction implements [store.Transactor].
func (s *operations) Transaction(key store.Key, owner store.Owner) store.Transaction {
	h := &handlerTx{store: s, key: key, owner: owner}
	h.ended, h.end = context.WithCancel(context.Background())
	return h
}

// Context implements [store.Transaction].
func (h *handlerTx) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, handlerKey{}, h)
}

// Begun implements [store.Transaction].
func (h *handlerTx) Begun() bool { return h.begun.Load() }

// Err implements [store.Transaction].
func (h *handlerTx) Err() error {
	h.state.Lock()
	defer h.state.Unlock()
	return h.broken
}

// Failed implements [store.Transaction]. In SQLite, a transaction that has
// begun cannot conflict with another.
func (h *handlerTx) Failed(err error) {
	if h.begun.Load() && h.store.dialect == Postgres && isConflict(err) {
		_ = h.fail(store.ErrBusy)
	}
}

// fail records the first reason why the transaction cannot be committed, and
// returns it.
func (h *handlerTx) fail(err error) error {
	h.state.Lock()
	defer h.state.Unlock()
	if h.broken == nil {
		h.broken = err
	}
	return h.broken
}

// beginLimit bounds how long a handler waits for the write lock of SQLite.
const beginLimit = 10 * time.Second

// begin begins the transaction, unless it has begun, and locks the record.
func (h *handlerTx) begin(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch err := h.Err(); {
	case err != nil:
		return err
	case h.ended.Err() != nil:
		return sql.ErrTxDone
	case h.tx != nil:
		return nil
	}
	// The transaction outlives the handler's context, which has ended by the
	// time the call is recorded.
	outer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stopped := []func() bool{context.AfterFunc(ctx, cancel), context.AfterFunc(h.ended, cancel)}
	tx, err := h.open(outer)
	if err != nil {
		cancel()
		return h.fail(failure(err))
	}
	tx.rollback = both(tx.rollback, cancel)
	h.tx = tx
	h.store.lockOwners.Store(h.owner, true)
	t := &step{operations: h.store, ctx: outer, tx: tx, plan: plan{partition: h.key.Partition}}
	h.wasStarted, err = t.own(ctx, h.key, h.owner)
	if err == nil {
		err = h.checkFiles(outer)
	}
	if err == nil {
		err = h.mark(outer)
	}
	for _, stop := range stopped { // or the end below would cancel the rollback
		if !stop() && err == nil {
			err = context.Canceled
		}
	}
	if err != nil {
		h.close()
		return h.fail(failure(err))
	}
	return nil
}

func both(first, second func()) func() {
	return func() {
		first()
		second()
	}
}

// takeLock takes SQLite's write lock and changes nothing.
const takeLock = `UPDATE tc_schema SET version = version WHERE 1 = 0`

// open begins a database transaction, with SQLite's write lock. It waits longer
// for other writers of a SQLite file than an operation of the store does.
func (h *handlerTx) open(ctx context.Context) (*transaction, error) {
	until := time.Now().Add(beginLimit)
	for {
		tx, err := h.store.begin(ctx, false)
		if err == nil && h.store.dialect == SQLite {
			if _, err = h.store.exec(ctx, tx, takeLock); err != nil {
				tx.rollback()
			}
		}
		if !isRolledBack(err) || time.Now().After(until) {
			return tx, err
		}
	}
}

// limitInPostgres ends a transaction that is idle, or whose statement waits,
// for the given number of milliseconds.
const limitInPostgres = `SELECT set_config('idle_in_transaction_session_timeout', ?, true), ` +
	`set_config('statement_timeout', ?, true)`

// statementMargin is how many milliseconds longer a statement may take, for
// example to complete the record.
const statementMargin = 2000

const attachedFiles = `SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')`

// errAttached means that a connection writes to several SQLite files, whose
// commits are not atomic together in WAL mode.
var errAttached = fmt.Errorf("%w: Tx: another database is attached, and a commit in two files is not atomic: "+
	"keep the tables of the handler in the file of the store", store.ErrInvalid)

// own locks the record of a call that an owner holds, and reports whether it
// was already marked as started. PostgreSQL ends the transaction of a stopped
// process once its handler's time is up.
func (t *step) own(handler context.Context, key store.Key, owner store.Owner) (wasStarted bool, err error) {
	if end, ok := handler.Deadline(); ok && t.dialect == Postgres {
		left := max(time.Until(end).Milliseconds(), 1)
		if err := t.exec(limitInPostgres, strconv.FormatInt(left, 10), strconv.FormatInt(left+statementMargin, 10)); err != nil {
			return false, err
		}
	}
	r, clock, err := scan(t.row(readRecord+t.forUpdate(), key.Partition[:], key.ID[:]))
	switch {
	case err != nil:
		return false, err
	case r == nil || r.owner != owner || r.state != store.InProgress || r.ends <= t.tell(clock):
		return false, store.ErrLost
	}
	return r.started, nil
}

// checkFiles returns an error if another SQLite file is attached, and makes the
// rollback discard the connection.
func (h *handlerTx) checkFiles(ctx context.Context) error {
	if h.store.dialect != SQLite {
		return nil
	}
	files := 0
	err := h.store.row(ctx, h.tx, attachedFiles).Scan(&files)
	if err == nil && files > 0 {
		h.tx.broken = true
		return errAttached
	}
	return err
}

// Commit implements [store.Transaction].
func (h *handlerTx) Commit(ctx context.Context, c store.Completion) error {
	h.mu.Lock() // a statement of a goroutine that the handler left behind waits, then fails
	defer h.mu.Unlock()
	defer h.close()
	if err := h.Err(); err != nil {
		return err
	}
	if h.ended.Err() != nil {
		return store.ErrLost
	}
	if h.tx == nil {
		return h.store.Complete(ctx, c)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	ended, err := h.wasEnded(ctx)
	if err != nil {
		h.close()
		ended = ended || h.hasCommitted(ctx)
	}
	if ended {
		return h.abandon(ctx, c.Retention)
	}
	if err == nil {
		err = h.complete(ctx, c)
	}
	if err == nil {
		err = h.tx.commit(ctx)
	}
	if err != nil {
		return explainCommit(err)
	}
	return nil
}

// complete records in the transaction how the execution ended.
func (h *handlerTx) complete(ctx context.Context, c store.Completion) error {
	if h.store.dialect == Postgres {
		if done, err := h.store.completeAtOnce(ctx, h.tx, c, true); done || err != nil {
			return err
		}
	}
	t := &step{operations: h.store, ctx: ctx, tx: h.tx, plan: planOf(c, false)}
	err := t.enter()
	if err == nil {
		err = t.complete(c)
	}
	if err == nil {
		err = t.leave()
	}
	if err == nil {
		h.store.sweepSometimes(t.now)
	}
	return err
}

// Rollback implements [store.Transaction].
func (h *handlerTx) Rollback() {
	h.end() // also stops a begin that is still waiting
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tx == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
	defer cancel()
	ended, err := h.wasEnded(ctx)
	h.close()
	if ended || err != nil && h.hasCommitted(ctx) {
		_ = h.abandon(ctx, abandonedRetention)
	}
}

// close ends the transaction, undoing what was not committed.
func (h *handlerTx) close() {
	h.end()
	if h.tx != nil {
		h.tx.rollback()
		h.tx = nil
		h.store.lockOwners.Delete(h.owner)
	}
}
