package store_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/contract/verify/storetest"
)

// A Memory has no storage that could hang.
func TestMemory_FollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		t.Helper()
		m, clock := newMemory(t, store.WithMaxEntries(4000))
		return storetest.Harness{
			Store: m, Advance: clock.Advance, Exact: true, Full: func(ctx context.Context) error { return fill(ctx, m) },
		}
	})
}

// fill spends a nonce for each of many principals until there is no room for
// another one.
func fill(ctx context.Context, m *store.Memory) error {
	for i := 0; ; i++ {
		n := store.Nonce{Key: store.Scope{Principal: strconv.Itoa(i)}.Key("filler"), TTL: 100 * time.Hour}
		if _, err := m.Spend(ctx, n, store.NewOwner()); errors.Is(err, store.ErrFull) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
