package guard_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// A slowStore calls a function before the first count that is added while it
// is set.
type slowStore struct {
	store.Store

	before atomic.Pointer[func()]
}

func (s *slowStore) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	if before := s.before.Swap(nil); before != nil {
		(*before)()
	}
	return s.Store.Add(ctx, key, kind, window)
}

// A decline counts only if it was the first answer, whenever it is recorded.
func TestDecide_DeclineAfterAnotherAnswer(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]bool{"an approval": true, "a decline": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, s := &counter{}, &slowStore{Store: newMemory(t)}
			k, d := approvals(t, n.asking("pay.now").MustBuild(), guard.WithStore(s))
			waits(t, k.call(alice, "pay.now", validPay))
			q, _ := d.last(t)
			overtakes := func() { k.decide(q, first) }
			s.before.Store(&overtakes)
			require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, false, dave), people.ErrDecided)

			if first {
				require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
				k.asked(payNow) // a person is asked about the next one
				return
			}
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationDeclined, contract.ClassRetryable)
			r, err := k.round(payNow)
			require.NoError(t, err)
			refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
			assert.Zero(t, n.runs.Load())
		})
	}
}
