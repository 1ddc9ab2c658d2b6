package store_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// heap returns a function that returns how many more bytes are in use than now.
func heap() func() uint64 {
	read := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := read()
	return func() uint64 {
		after := read()
		if after < before {
			return 0
		}
		return after - before
	}
}

// BenchmarkMemoryFlood measures the memory that a million new keys take, each
// of a different principal, at the default bounds. It reports the bound as
// bound-bytes.
func BenchmarkMemoryFlood(b *testing.B) {
	const keys = 1_000_000
	for _, tc := range []struct {
		name  string
		flood func(b *testing.B, m *store.Memory, key store.Key) error
	}{
		{"claims", func(b *testing.B, m *store.Memory, key store.Key) error {
			_, err := m.Claim(b.Context(), claim(key, store.NewOwner()))
			return err
		}},
		{"results", func(b *testing.B, m *store.Memory, key store.Key) error {
			c := claim(key, store.NewOwner())
			if _, err := m.Claim(b.Context(), c); err != nil {
				return err
			}
			return m.Complete(b.Context(), completion(c, make([]byte, 1000)))
		}},
		{"nonces", func(b *testing.B, m *store.Memory, key store.Key) error {
			_, err := m.Spend(b.Context(), store.Nonce{Key: key, TTL: time.Hour}, store.NewOwner())
			return err
		}},
		{"counts", func(b *testing.B, m *store.Memory, key store.Key) error {
			_, err := m.Add(b.Context(), key, "kind", time.Hour)
			return err
		}},
	} {
		b.Run("of="+tc.name+"/keys="+strconv.Itoa(keys), func(b *testing.B) {
			for b.Loop() {
				used := heap()
				m, err := store.NewMemory()
				require.NoError(b, err)
				refused := 0
				for i := range keys {
					scope := store.Scope{Principal: strconv.Itoa(i)}
					if err := tc.flood(b, m, scope.Key("k")); err != nil {
						require.ErrorIs(b, err, store.ErrFull)
						refused++
					}
				}
				b.ReportMetric(float64(used()), "heap-bytes")
				b.ReportMetric(store.DefaultMaxBytes, "bound-bytes")
				b.ReportMetric(float64(refused), "refused")
				runtime.KeepAlive(m)
			}
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	m, err := store.NewMemory()
	require.NoError(b, err)
	key := store.Scope{Principal: "bob"}.Key("replayed")
	first := claim(key, store.NewOwner())
	_, err = m.Claim(b.Context(), first)
	require.NoError(b, err)
	require.NoError(b, m.Complete(b.Context(), completion(first, make([]byte, 1000))))
	b.Run("op=replay", func(b *testing.B) {
		b.ReportAllocs()
		again := claim(key, store.NewOwner())
		for b.Loop() {
			if _, err := m.Claim(b.Context(), again); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("op=run", func(b *testing.B) {
		b.ReportAllocs()
		result := make([]byte, 1000)
		run := claim(store.Scope{Principal: "bob"}.Key("run"), store.NewOwner())
		for b.Loop() {
			done := completion(run, result)
			if _, err := m.Claim(b.Context(), run); err != nil {
				b.Fatal(err)
			}
			done.Retention = 0
			if err := m.Complete(b.Context(), done); err != nil {
				b.Fatal(err)
			}
		}
	})
}
