package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// newMemory returns an in-memory store and a function that advances its clock.
func newMemory(t *testing.T, opts ...store.MemoryOption) (m *store.Memory, advance func(time.Duration)) {
	t.Helper()
	begin := time.Now()
	var passed atomic.Int64
	clock := store.WithClock(func() time.Time { return begin.Add(time.Duration(passed.Load())) })
	m, err := store.NewMemory(append(opts, clock)...)
	require.NoError(t, err)
	return m, func(d time.Duration) { passed.Add(int64(d)) }
}

// A Memory has no storage that could hang.
func TestMemory_FollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		t.Helper()
		const maxBytes = 4 << 20
		m, advance := newMemory(t, store.WithMaxEntries(4000), store.WithMaxBytes(maxBytes))
		return storetest.Harness{
			Store: m, Advance: advance, Exact: true, MaxBytes: maxBytes, Full: func(ctx context.Context) error { return fill(ctx, m) },
		}
	})
}

// fill spends a nonce for each of many principals until there is no room for
// another.
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

func TestFaultyStore_WithoutFaultsFollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		t.Helper()
		m, advance := newMemory(t)
		return storetest.Harness{Store: faultystore.New(m), Exact: true, Advance: advance}
	})
}
