package ledger_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// A transactor is a store whose claims hang, and whose transactions end by end.
type transactor struct {
	store.Store

	end func()
}

func (s transactor) Claim(ctx context.Context, _ store.Claim) (store.ClaimResult, error) {
	<-ctx.Done()
	return store.ClaimResult{}, ctx.Err()
}

func (s transactor) Transaction(store.Key, store.Owner) store.Transaction {
	return transaction{end: s.end}
}

type transaction struct {
	store.Transaction

	end func()
}

func (t transaction) Commit(context.Context, store.Completion) error {
	t.end()
	return nil
}

func (t transaction) Rollback() { t.end() }

func TestTransaction_IsBoundedAndObservedAsAStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		observe := func(_ context.Context, o ledger.Operation) { seen = append(seen, o.Name) }
		s := transactor{Store: memory(t), end: func() { panic("broken") }}
		tx := open(t, ledger.Config{Store: s, Observe: observe}).Transaction(store.Key{}, store.Owner{})
		var panicked *contain.PanicError
		require.ErrorAs(t, tx.Commit(t.Context(), store.Completion{}), &panicked)
		assert.NotPanics(t, tx.Rollback)
		assert.Equal(t, []string{"commit", "rollback"}, seen)

		release := make(chan struct{})
		s.end = func() { <-release }
		tx = open(t, ledger.Config{Store: s}).Transaction(store.Key{}, store.Owner{})
		start := time.Now()
		err := tx.Commit(t.Context(), store.Completion{})
		require.ErrorIs(t, err, contain.ErrLate)
		assert.True(t, ledger.IsOutage(err), "it may have taken place")
		tx.Rollback()
		assert.Equal(t, 2*timeout, time.Since(start))
		close(release)
	})
}

// The answer to a call that was not committed is read from its record, also
// while the store seems to be away.
func TestTransaction_ReadsItsRecordDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, ledger.Config{Store: transactor{Store: memory(t)}})
		key := store.Scope{}.Key("k")
		for _, wasSent := range []bool{true, false} { // the first claim begins an outage
			_, err := l.Claim(t.Context(), store.Claim{})
			assert.Equal(t, wasSent, !ledger.WasNotSent(err), "%v", err)
		}
		_, err := l.Transaction(key, store.Owner{}).Record(t.Context())
		assert.NoError(t, err)
		synctest.Wait()
	})
}
