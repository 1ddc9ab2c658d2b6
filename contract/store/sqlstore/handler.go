package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

var _ store.Transactor = (*Store)(nil)

// A DBTX runs statements in the transaction of a call. The guard commits it
// when the call succeeds, and undoes it after any other end. Tools such as sqlc
// and gorm take one in place of a [sql.Tx].
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx returns the transaction in which an atomic tool writes and its outcome is
// recorded. ctx is that of the handler. The transaction begins with the first
// use, at the isolation level read committed. In SQLite it holds the write lock
// of the file, for which Tx waits about ten seconds. Other connections do not
// see what it writes before the call has succeeded, and may wait for it. A
// handler should therefore call other systems before Tx.
//
// Return an error of Tx, or of a statement, from the handler: if another
// transaction is the reason, the guard runs the handler again.
func Tx(ctx context.Context) (DBTX, error) {
	h, ok := ctx.Value(handlerKey{}).(*handlerTx)
	if !ok {
		return nil, errors.New("sqlstore: Tx: this is not the context of an atomic call: declare Idempotency.Atomic, and pass the " +
			"context of the handler")
	}
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	return statements{h}, nil
}

type handlerKey struct{}

// A handlerTx is the transaction of one run of a handler.
type handlerTx struct {
	store *Store
	key   store.Key
	owner store.Owner
	ended context.Context //nolint:containedctx // it ends the statements of the handler
	end   context.CancelFunc

	mu     sync.RWMutex // locked while the transaction begins or ends, for reading while a statement begins
	tx     *transaction
	state  sync.Mutex // for broken; it may be locked while mu is locked
	broken error
}

// Transaction implements [store.Transactor].
func (s *Store) Transaction(key store.Key, owner store.Owner) store.Transaction {
	h := &handlerTx{store: s, key: key, owner: owner}
	h.ended, h.end = context.WithCancel(context.Background())
	return h
}

// Context implements [store.Transaction].
func (h *handlerTx) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, handlerKey{}, h)
}

// Err implements [store.Transaction].
func (h *handlerTx) Err() error {
	h.state.Lock()
	defer h.state.Unlock()
	return h.broken
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

// begin begins the transaction, if that has not been done, and locks the
// record.
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
	// The transaction outlives the context of the handler, which is over when
	// the call is recorded.
	outer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stopped := []func() bool{context.AfterFunc(ctx, cancel), context.AfterFunc(h.ended, cancel)}
	tx, err := h.open(outer)
	if err != nil {
		cancel()
		return h.fail(failure(err))
	}
	tx.rollback = both(tx.rollback, cancel)
	h.tx = tx
	h.store.held.Store(h.owner, true)
	t := &step{Store: h.store, ctx: outer, tx: tx, partition: h.key.Partition}
	if err = t.own(ctx, h.key, h.owner); err == nil && (!stopped[0]() || !stopped[1]()) {
		err = context.Canceled
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

// open begins a transaction of the database. It waits for other writers of a
// SQLite file for longer than an operation of the store.
func (h *handlerTx) open(ctx context.Context) (*transaction, error) {
	until := time.Now().Add(beginLimit)
	for {
		tx, err := h.store.begin(ctx, true)
		if !gaveUp(err) || time.Now().After(until) {
			return tx, err
		}
	}
}

// own locks the record of a call that an owner holds. On PostgreSQL the server
// ends the transaction of a process that has stopped, when the time of its
// handler is over.
func (t *step) own(handler context.Context, key store.Key, owner store.Owner) error {
	if end, ok := handler.Deadline(); ok && t.dialect == Postgres {
		left := max(time.Until(end).Milliseconds(), 1)
		if err := t.exec(`SELECT set_config('idle_in_transaction_session_timeout', ?, true)`, strconv.FormatInt(left, 10)); err != nil {
			return err
		}
	}
	r, clock, err := scan(t.row(clocked(readRecord, t.dialect)+t.forUpdate(), key.Partition[:], key.ID[:]))
	switch {
	case err != nil:
		return err
	case r == nil || r.owner != owner || r.state != store.InProgress || r.ends <= t.tell(clock):
		return store.ErrLost
	}
	return nil
}

// Commit implements [store.Transaction].
func (h *handlerTx) Commit(ctx context.Context, c store.Completion) error {
	h.mu.Lock()
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
	h.end() // a statement of a goroutine that the handler left fails
	t := &step{Store: h.store, ctx: ctx, tx: h.tx, partition: c.Key.Partition}
	err := t.enter()
	if err == nil {
		err = t.complete(c)
	}
	if err == nil {
		err = t.leave()
	}
	if err == nil {
		err = h.tx.commit(ctx)
	}
	if err != nil {
		return failure(err)
	}
	h.store.sweepSometimes(t.now)
	return nil
}

// Rollback implements [store.Transaction].
func (h *handlerTx) Rollback() {
	h.end() // also what begins the transaction
	h.mu.Lock()
	defer h.mu.Unlock()
	h.close()
}

// close ends the transaction. It undoes what was not committed.
func (h *handlerTx) close() {
	h.end()
	if h.tx != nil {
		h.tx.rollback()
		h.tx = nil
		h.store.held.Delete(h.owner)
	}
}

// statements is the [DBTX] of a handler.
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

// run runs a statement with a context that ends with the transaction. It notes
// an error after which nothing can be committed.
func (h *handlerTx) run(ctx context.Context, query string, statement func(context.Context, DBTX) error) error {
	if ends(query) {
		return errors.New("sqlstore: Tx: the guard begins and ends the transaction of a call; remove the statement that does it")
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
	if gaveUp(err) {
		_ = h.fail(store.ErrBusy)
	}
	return err
}

// ends reports whether a text has a statement that would begin or end a
// transaction. Some drivers run several statements of one text. A semicolon in
// a literal counts as one between statements, because a refusal does no harm.
func ends(query string) bool {
	for statement := range strings.SplitSeq(leadingComments.ReplaceAllString(query, ";"), ";") {
		words := strings.Fields(strings.ToUpper(statement))
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "BEGIN", "START", "COMMIT", "END", "ABORT":
			return true
		case "ROLLBACK":
			if len(words) == 1 || words[1] != "TO" && (len(words) < 3 || words[2] != "TO") {
				return true
			}
		}
	}
	return false
}

// leadingComments are the comments at the beginning of a statement, after which
// its first word stands.
var leadingComments = regexp.MustCompile(`(?s)(?:^|;)(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)+`)
