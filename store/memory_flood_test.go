package store_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

// Threat 109: a flood of new keys. Existing records stay, and the flood takes
// bounded memory. The test measures the heap, so it runs alone.
func TestThreat109_AFloodOfKeysTakesNoMoreThanItsBound(t *testing.T) {
	flooder := func(i int) store.Key { return keyOf(strconv.Itoa(i), "k") }
	for _, tc := range []struct {
		name  string
		flood func(m *store.Memory, i int) error
	}{
		{"claims", func(m *store.Memory, i int) error {
			_, err := m.Claim(t.Context(), claim(flooder(i), store.NewOwner()))
			return err
		}},
		{"claims with nonces", func(m *store.Memory, i int) error {
			c := claim(flooder(i), store.NewOwner())
			c.Nonce = store.Nonce{Key: keyOf(strconv.Itoa(i), "nonce"), TTL: time.Hour}
			_, err := m.Claim(t.Context(), c)
			return err
		}},
		{"short results", func(m *store.Memory, i int) error { return finish(t, m, flooder(i), 1) }},
		{"long results", func(m *store.Memory, i int) error { return finish(t, m, flooder(i), 4000) }},
		{"nonces", func(m *store.Memory, i int) error {
			_, err := m.Spend(t.Context(), store.Nonce{Key: flooder(i), TTL: time.Hour}, store.NewOwner())
			return err
		}},
		{"counts", func(m *store.Memory, i int) error {
			_, err := m.Add(t.Context(), flooder(i), "kind", time.Hour)
			return err
		}},
		{"kinds of one count", func(m *store.Memory, i int) error {
			_, err := m.Add(t.Context(), flooder(0), strconv.Itoa(i), time.Hour)
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bounds := []int64{1 << 20, 1_500_000, 2 << 20, 3_000_000}
			for _, bound := range bounds[:longtest.Count(t, 1, len(bounds))] {
				used := heap()
				m, _ := newMemory(t, store.WithMaxEntries(1e9), store.WithMaxBytes(bound))
				mustFinish(t, m, keyOf("victim", "k"), []byte("sent"))
				for i := range longtest.Count(t, 10_000, 20_000) {
					if err := tc.flood(m, i); err != nil {
						require.ErrorIs(t, err, store.ErrFull)
					}
				}
				assert.Less(t, used(), uint64(bound))
				assert.Equal(t, store.Finished, verdict(t, m, claim(keyOf("victim", "k"), store.NewOwner())))
				runtime.KeepAlive(m)
			}
		})
	}
}

func finish(tb testing.TB, m *store.Memory, key store.Key, size int) error {
	c := claim(key, store.NewOwner())
	if _, err := m.Claim(tb.Context(), c); err != nil {
		return err
	}
	return m.Complete(tb.Context(), completion(c, make([]byte, size)))
}

// A store in constant use stays small, although nothing runs in the background.
func TestMemory_ExpiredEntriesDoNotPileUp(t *testing.T) {
	m, now := newMemory(t)
	used := heap()
	for i := range longtest.Count(t, 20_000, 50_000) {
		require.NoError(t, finish(t, m, keyOf(strconv.Itoa(i), "k"), 100))
		_, err := m.Add(t.Context(), keyOf(strconv.Itoa(i), "k"), "kind", retention)
		require.NoError(t, err)
		_, err = m.Spend(t.Context(), store.Nonce{Key: keyOf(strconv.Itoa(i), "k"), TTL: retention}, store.NewOwner())
		require.NoError(t, err)
		now.Advance(retention / 100)
	}
	assert.Less(t, used(), uint64(1<<20), "a hundred entries exist at a time")
	runtime.KeepAlive(m)
}
