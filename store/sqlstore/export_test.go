package sqlstore

import (
	"context"
	"runtime"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// Freeze makes now the store's clock. A sweep beside an earlier operation has
// ended then.
func (s *Store) Freeze(now int64) {
	o := s.operations
	for !o.sweeping.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer o.sweeping.Store(false)
	o.tell = func(int64) int64 { return now }
	o.told = now
}

// Sweep removes a part of what is over by the time of Freeze.
func (s *Store) Sweep(ctx context.Context) error {
	return s.operations.sweep(ctx, s.operations.tell(0))
}

// Shift moves the store's clock ahead. It must not be called during an
// operation.
func (s *Store) Shift(d time.Duration) {
	o := s.operations
	tell := o.tell
	o.tell = func(clock int64) int64 { return tell(clock) + int64(d) }
	o.told -= int64(d)
}

// BeforeCommit makes a transaction that has begun call f when everything is
// written and nothing is committed.
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
