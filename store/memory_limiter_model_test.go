package store_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

// A model is the simplest limiter that follows the rules of [store.Limiter]: to
// forget a bucket it looks at all of them.
type model struct {
	max    int
	levels map[store.Bucket]*rate.Limiter
}

// missing returns how many tokens a bucket lacks, and after which time it has
// them.
func missing(b store.Bucket, l *rate.Limiter, now time.Time, tokens float64) time.Duration {
	return time.Duration(max(0, tokens-l.TokensAt(now)) * float64(b.Per) / float64(b.Calls))
}

// take reports whether the tokens were taken.
func (m *model) take(now time.Time, buckets ...store.Bucket) bool {
	own, fresh := map[store.Bucket]bool{}, 0
	for _, b := range buckets {
		own[b] = true
		l, known := m.levels[b]
		if known && l.TokensAt(now) < 1 {
			return false
		}
		if !known {
			fresh++
		}
	}
	for len(m.levels)+fresh > m.max {
		var first store.Bucket
		soonest := time.Duration(-1)
		for b, l := range m.levels {
			if wait := missing(b, l, now, float64(b.Calls)); !own[b] && (soonest < 0 || wait < soonest) {
				first, soonest = b, wait
			}
		}
		delete(m.levels, first)
	}
	for _, b := range buckets {
		if m.levels[b] == nil {
			m.levels[b] = rate.NewLimiter(rate.Limit(float64(b.Calls)/b.Per.Seconds()), b.Calls)
		}
		m.levels[b].AllowN(now, 1)
	}
	return true
}

// A limiter's queue is not always sorted, but it forgets the same buckets as a
// limiter that looks at all of them.
func TestMemoryLimiter_ForgetsTheBucketThatIsFullTheSoonest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(longtest.Count(t, 30, 300)) { //nolint:gosec // a handful
		random := rand.New(rand.NewPCG(seed, 7))
		size := 2 + random.IntN(8)
		l, now := newLimiter(t, store.WithMaxEntries(size))
		m := &model{size, map[store.Bucket]*rate.Limiter{}}
		forgot := false
		for step := range 500 {
			now.Advance(time.Duration(1 + random.Int64N(int64(20*time.Second)))) // so that no two buckets are full at once
			one := random.IntN(15)
			buckets := []store.Bucket{perMinute(strconv.Itoa(one), 1+one%5)}
			if random.IntN(3) == 0 {
				buckets = append(buckets, perMinute("all", 7))
			}
			want := m.take(now.Now(), buckets...)
			require.Equal(t, want, take(t, l, buckets...) == 0, "seed %d, step %d", seed, step)
			forgot = forgot || len(m.levels) == size
		}
		require.True(t, forgot, "the buckets never filled the memory")
	}
}

// A bucket that has been full for a while is forgotten like one that has just
// become full. Otherwise the memory stays full, and each call that adds a
// bucket scans all of them.
func TestMemoryLimiter_ForgetsBucketsThatHaveBeenFullForLong(t *testing.T) {
	t.Parallel()
	const size = 1600
	l, now := newLimiter(t, store.WithMaxEntries(size))
	for i := range size {
		take(t, l, perMinute("early"+strconv.Itoa(i), 60))
	}
	for i := range size / 4 {
		now.Advance(time.Hour)
		take(t, l, perMinute("late"+strconv.Itoa(i), 60))
	}
	assert.LessOrEqual(t, store.Held(l), size/16)
}

// Two calls that locked the same buckets in different orders could wait for
// each other forever.
func TestMemoryLimiter_LocksBucketsInOneOrder(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t)
	a, b, c := perMinute("a", 9), perMinute("b", 5), perMinute("c", 7)
	take(t, l, c, a, b)
	for _, named := range [][]store.Bucket{{a, b, c}, {b, c, a}, {c, b, a}} {
		assert.Equal(t, []string{"a", "b", "c"}, store.LockOrder(l, named...))
	}
}

// Two calls that name the same buckets in different orders do not deadlock,
// even while other calls add and forget buckets.
func TestMemoryLimiter_ConcurrentCallsNameBucketsInAnyOrder(t *testing.T) {
	t.Parallel()
	l, err := store.NewMemoryLimiter(store.WithMaxEntries(50))
	require.NoError(t, err)
	const limit = 300
	mine, all := store.Bucket{Name: "mine", Calls: 10_000, Per: 24 * time.Hour},
		store.Bucket{Name: "all", Calls: limit, Per: 24 * time.Hour}
	orders := [][]store.Bucket{{mine, all}, {all, mine}}
	var through atomic.Int64
	var wg sync.WaitGroup
	for caller := range 16 {
		wg.Go(func() {
			for i := range longtest.Count(t, 10_000, 20_000) {
				if wait, err := l.Take(t.Context(), orders[(caller+i)%2]...); assert.NoError(t, err) && wait == 0 {
					through.Add(1)
				}
				if i%20 == 0 {
					_, err := l.Take(t.Context(), perMinute(strconv.Itoa(caller*100_000+i), 60))
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, limit, through.Load())
}

// A call may take before another call that read the clock earlier. The time
// between the two readings fills a bucket only once.
func TestMemoryLimiter_LateCallsDoNotFillABucketAgain(t *testing.T) {
	t.Parallel()
	l, now := newLimiter(t)
	b := store.Bucket{Name: "anna", Calls: 2, Per: 20 * time.Second}
	early := now.Now()
	late := early.Add(10 * time.Second)
	for _, at := range []time.Time{early, late, early} {
		require.Zero(t, store.TakeAt(l, at, b))
	}
	assert.Equal(t, 10*time.Second, store.TakeAt(l, late, b))
	assert.Equal(t, 10*time.Second, store.TakeAt(l, early, b))
}
