package sqlstore

import (
	"context"
	"runtime"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// Freeze stops the store's clock at now, after any sweep in progress has ended.
func (s *Store) Freeze(now int64) {
	o := s.operations
	for !o.sweeping.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer o.sweeping.Store(false)
	o.tell = func(int64) int64 { return now }
	o.clockShift = now
}

// Sweep removes some of what has expired by the time set with Freeze.
func (s *Store) Sweep(ctx context.Context) error {
	return s.operations.sweep(ctx, s.operations.tell(0))
}

// Shift moves the store's clock ahead. It must not be called during an
// operation.
func (s *Store) Shift(d time.Duration) {
	o := s.operations
	tell := o.tell
	o.tell = func(clock int64) int64 { return tell(clock) + int64(d) }
	o.clockShift -= int64(d)
}

// BeforeCommit makes a transaction that has begun call f once everything is
// written, before the commit.
func BeforeCommit(tx store.Transaction, f func()) {
	h, ok := tx.(*handlerTx)
	if !ok || h.tx == nil {
		return
	}
	commit := h.tx.commit
	h.tx.commit = func(ctx context.Context) error {
		f()
		return commit(ctx)
	}
}

// Die undoes what a transaction has not committed and records nothing, as the
// death of its process does.
func Die(tx store.Transaction) {
	if h, ok := tx.(*handlerTx); ok && h.tx != nil {
		h.tx.rollback()
	}
}
