package store_test

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

// heapInUse returns the number of bytes in use.
func heapInUse() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// flood makes one call for each of the given number of new principals and
// returns the growth of the heap in bytes.
func flood(tb testing.TB, l *store.MemoryLimiter, principals int) uint64 {
	tb.Helper()
	before := heapInUse()
	for i := range principals {
		name := strconv.Itoa(i)
		b := store.Bucket{Name: name + "0123456789abcdef0123456789abcdef"[len(name):], Calls: 600, Per: time.Minute}
		if wait, err := l.Take(tb.Context(), b); err != nil || wait > 0 {
			tb.Fatal("a new principal was refused", wait, err)
		}
	}
	after := heapInUse()
	runtime.KeepAlive(l)
	return max(after, before) - before
}

// This test measures the heap, so it does not run in parallel.
func TestMemoryLimiter_FloodStaysWithinItsMemory(t *testing.T) {
	l, _ := newLimiter(t) // the clock stands still, so no bucket refills
	require.Less(t, flood(t, l, longtest.Count(t, 150_000, 300_000)), uint64(store.DefaultMaxBuckets*400))
}

func BenchmarkMemoryLimiterFlood(b *testing.B) {
	const principals = 1_000_000
	for b.Loop() {
		l, _ := newLimiter(b)
		b.ReportMetric(float64(flood(b, l, principals)), "heap-bytes")
	}
}

func BenchmarkMemoryLimiterTake(b *testing.B) {
	l, err := store.NewMemoryLimiter()
	require.NoError(b, err)
	buckets := func(name string, calls int) []store.Bucket {
		return []store.Bucket{{Name: name, Calls: calls, Per: 1e6 * time.Hour}, {Name: "all", Calls: 1 << 40, Per: 1e6 * time.Hour}}
	}
	exhausted := buckets("exhausted", 1)
	_, err = l.Take(b.Context(), exhausted...)
	require.NoError(b, err)
	for name, args := range map[string][]store.Bucket{
		"one bucket": buckets("anna", 1<<40)[:1], "two buckets": buckets("bob", 1<<40), "refused": exhausted,
	} {
		b.Run("of="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Take(b.Context(), args...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	parallel := func(name string, args func(caller int64) []store.Bucket) {
		b.Run(name, func(b *testing.B) {
			var callers atomic.Int64
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				own := args(callers.Add(1))
				for pb.Next() {
					if _, err := l.Take(b.Context(), own...); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
	parallel("of=two buckets/by=many", func(int64) []store.Bucket { return buckets("carl", 1<<40) })
	parallel("of=one bucket each/by=many", func(caller int64) []store.Bucket {
		return buckets(strconv.FormatInt(caller, 10), 1<<40)[:1]
	})
}
