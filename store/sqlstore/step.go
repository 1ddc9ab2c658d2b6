package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A step is one atomic step of the store: a transaction that holds a
// partition's lock.
type step struct {
	*operations

	plan

	ctx     context.Context
	tx      *transaction
	sweeps  bool  // it skips locked records
	now     int64 // in nanoseconds since 1970
	room    room
	entered room
}

// A plan is what a step is likely to do.
type plan struct {
	partition store.Digest
	grows     room // what the partition will probably contain more; then the step need not write that again
	relaxed   bool // see [operations.begin]
}

// A room is how much a partition contains.
type room struct {
	entries int64 // records and nonces
	bytes   int64 // of results
	kinds   int64 // of counts
}

// The statements of a step. Each question mark is a placeholder, and the column
// clock is the dialect's clock.
const (
	enterPartition = `INSERT INTO tc_partitions (part, entries, bytes, kinds) VALUES (?, ?, ?, 0) ON CONFLICT (part) DO UPDATE
		SET entries = tc_partitions.entries + excluded.entries, bytes = tc_partitions.bytes + excluded.bytes
		RETURNING entries, bytes, kinds, clock `
	leavePartition  = `UPDATE tc_partitions SET entries = ?, bytes = ?, kinds = ? WHERE part = ?`
	removePartition = `DELETE FROM tc_partitions WHERE part = ?`
)

// limitOfStep makes PostgreSQL end a step that is idle for five seconds,
// because its process has stopped. The lock of such a step would hold up the
// calls of its principal.
const limitOfStep = `, set_config('idle_in_transaction_session_timeout', '5000', true)`

// maxAttempts is how often a step is tried if the database keeps rolling it
// back because of others.
const maxAttempts = 5

// errUnplanned means that the database does not contain what the plan of a step
// assumed. Nothing has changed.
var errUnplanned = fmt.Errorf("%w: another process has changed the record", store.ErrBusy)

// take runs a function as one step on a partition. If the function returns an
// error of package store, nothing changes. The function may run more than once.
func take[R any](ctx context.Context, s *operations, partition store.Digest, f func(t *step) (R, error)) (R, error) {
	return follow(ctx, s, plan{partition: partition}, f)
}

// follow is take with a plan.
func follow[R any](ctx context.Context, s *operations, p plan, f func(t *step) (R, error)) (result R, err error) {
	if ctx.Err() != nil {
		return result, failure(context.Cause(ctx))
	}
	for attempt := 1; ; attempt++ {
		result, err = try(ctx, s, p, f)
		if attempt == maxAttempts || !isPassing(err) || !s.hasTimeToWait(ctx) {
			break
		}
	}
	if err != nil {
		var none R
		return none, failure(err)
	}
	return result, nil
}

// hasTimeToWait reports whether another attempt would end before the context
// does if the file is still locked. If not, the caller returns [store.ErrBusy]
// rather than a timeout.
func (s *operations) hasTimeToWait(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > s.busyTimeout
}

func try[R any](ctx context.Context, s *operations, p plan, f func(t *step) (R, error)) (R, error) {
	var none R
	tx, err := s.begin(ctx, p.relaxed)
	if err != nil {
		return none, err
	}
	defer tx.rollback()
	t := &step{operations: s, ctx: ctx, tx: tx, plan: p}
	if err := t.enter(); err != nil {
		return none, err
	}
	result, err := f(t)
	if err != nil {
		return none, err
	}
	if err := t.leave(); err != nil {
		return none, err
	}
	if err := tx.commit(ctx); err != nil {
		return none, err
	}
	s.sweepSometimes(t.now)
	return result, nil
}

// change is take for a function without a result. If a call's transaction has
// locked the record, it waits for it.
func change(ctx context.Context, s *operations, partition store.Digest, f func(t *step) error) error {
	for attempt := 1; ; attempt++ {
		_, err := take(ctx, s, partition, func(t *step) (struct{}, error) { return struct{}{}, f(t) })
		locked, ok := errors.AsType[*lockedError](err)
		if !ok || attempt == maxAttempts {
			return err
		}
		if err := s.await(ctx, locked.key); err != nil {
			return err
		}
	}
}

// await waits until no transaction has locked a record. It does not lock the
// partition, because a call's transaction needs that lock to end, nor keep the
// record locked, because it is one statement.
func (s *operations) await(ctx context.Context, key store.Key) error {
	return s.read(ctx, readRecord+" FOR UPDATE", key, func(row *sql.Row) error {
		_, _, err := scan(row)
		return err
	})
}

// read reads the row of a key with a single statement. It runs at the session's
// isolation level, at which the database may roll it back because of another
// transaction. Then read tries again.
func (s *operations) read(ctx context.Context, query string, key store.Key, scan func(*sql.Row) error) error {
	if ctx.Err() != nil {
		return failure(context.Cause(ctx))
	}
	for attempt := 1; ; attempt++ {
		err := scan(s.row(ctx, nil, query, key.Partition[:], key.ID[:]))
		switch {
		case err == nil:
			return nil
		case attempt == maxAttempts || !isPassing(err) || !s.hasTimeToWait(ctx):
			return failure(err)
		}
	}
}

// enter locks the partition, then reads the clock. It writes how much the
// partition will contain if everything goes according to the plan.
func (t *step) enter() error {
	statement := enterPartition
	found := []any{&t.room.entries, &t.room.bytes, &t.room.kinds, &t.now}
	if t.dialect == Postgres {
		statement += limitOfStep
		found = append(found, new(string))
	}
	err := t.row(statement, t.partition[:], t.grows.entries, t.grows.bytes).Scan(found...)
	t.entered = t.room
	t.room.entries -= t.grows.entries
	t.room.bytes -= t.grows.bytes
	t.now = t.tell(t.now)
	return err
}

// leave writes how much the partition contains now, if that was not planned.
func (t *step) leave() error {
	switch t.room {
	case room{}:
		return t.exec(removePartition, t.partition[:])
	case t.entered:
		return nil
	}
	return t.exec(leavePartition, t.room.entries, t.room.bytes, t.room.kinds, t.partition[:])
}

func (t *step) exec(statement string, args ...any) error {
	_, err := t.operations.exec(t.ctx, t.tx, statement, args...)
	return err
}

func (t *step) row(statement string, args ...any) *sql.Row {
	return t.operations.row(t.ctx, t.tx, statement, args...)
}

// in returns the time d from now. A time beyond the latest representable one is
// cut to that.
func (t *step) in(d time.Duration) int64 {
	if end := t.now + int64(d); end > t.now {
		return end
	}
	return 1<<63 - 1
}

// change runs a statement and returns the number of rows that it changed.
func (t *step) change(statement string, args ...any) (int64, error) {
	result, err := t.operations.exec(t.ctx, t.tx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
