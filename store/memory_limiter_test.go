package store_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

func newLimiter(tb testing.TB, opts ...store.MemoryOption) (*store.MemoryLimiter, *clock) {
	tb.Helper()
	c := newClock()
	l, err := store.NewMemoryLimiter(append([]store.MemoryOption{store.WithClock(c.Now)}, opts...)...)
	require.NoError(tb, err)
	return l, c
}

// take takes from buckets and returns the wait.
func take(tb testing.TB, l store.Limiter, buckets ...store.Bucket) time.Duration {
	tb.Helper()
	wait, err := l.Take(tb.Context(), buckets...)
	require.NoError(tb, err)
	require.GreaterOrEqual(tb, wait, time.Duration(0))
	return wait
}

// taken returns the number of calls that a bucket allows at once, counted up to
// most.
func taken(tb testing.TB, l store.Limiter, b store.Bucket, most int) int {
	tb.Helper()
	for n := range most {
		if take(tb, l, b) > 0 {
			return n
		}
	}
	return most
}

func perMinute(name string, calls int) store.Bucket {
	return store.Bucket{Name: name, Calls: calls, Per: time.Minute}
}

func TestMemoryLimiter_GivesABurstAndThenEvenTokens(t *testing.T) {
	t.Parallel()
	l, now := newLimiter(t)
	b := perMinute("anna", 60)
	assert.Equal(t, 60, taken(t, l, b, 100))
	assert.Equal(t, time.Second, take(t, l, b))
	now.Advance(time.Second - 1)
	assert.Equal(t, time.Nanosecond, take(t, l, b), "a refusal takes nothing")
	now.Advance(1)
	assert.Zero(t, take(t, l, b))
	assert.Equal(t, time.Second, take(t, l, b))
	now.Advance(time.Hour)
	assert.Equal(t, 60, taken(t, l, b, 100), "a bucket is never more than full")
}

func TestMemoryLimiter_BucketsAreIndependent(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t)
	exhausted := store.Bucket{Name: "anna", Calls: 1, Per: time.Minute}
	require.Equal(t, 1, taken(t, l, exhausted, 2))
	for name, other := range map[string]store.Bucket{
		"another name":  {Name: "bob", Calls: 1, Per: time.Minute},
		"more calls":    {Name: "anna", Calls: 2, Per: time.Minute},
		"another time":  {Name: "anna", Calls: 1, Per: time.Second},
		"a longer name": {Name: "anna\x00", Calls: 1, Per: time.Minute},
	} {
		assert.Zero(t, take(t, l, other), name)
	}
	assert.Equal(t, time.Minute, take(t, l, exhausted))
}

func TestMemoryLimiter_TakesFromAllOrNone(t *testing.T) {
	t.Parallel()
	mine, all, other := perMinute("anna", 6), perMinute("all", 3), perMinute("bob", 1)
	for name, buckets := range map[string][]store.Bucket{
		"the empty one last": {mine, all}, "the empty one first": {all, mine}, "in the middle": {other, all, mine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := newLimiter(t)
			require.Equal(t, 3, taken(t, l, all, 3))
			assert.Equal(t, 20*time.Second, take(t, l, buckets...))
			assert.Equal(t, 6, taken(t, l, mine, 10), "no token was taken from the bucket that had some")
			assert.Equal(t, 1, taken(t, l, other, 2))
			assert.Equal(t, 20*time.Second, take(t, l, mine, all), "the longest of all waits")
		})
	}
}

func TestMemoryLimiter_RefusesInvalidBuckets(t *testing.T) {
	t.Parallel()
	good := perMinute("anna", 1)
	for name, buckets := range map[string][]store.Bucket{
		"none at all":       {},
		"the zero bucket":   {{}},
		"no name":           {{Calls: 1, Per: time.Minute}},
		"no calls":          {good, {Name: "anna", Per: time.Minute}},
		"negative calls":    {good, {Name: "anna", Calls: -1, Per: time.Minute}},
		"the lowest number": {{Name: "anna", Calls: math.MinInt, Per: time.Minute}},
		"no time":           {good, {Name: "anna", Calls: 1}},
		"a negative time":   {{Name: "anna", Calls: 1, Per: -time.Minute}, good},
		"a repeated bucket": {good, perMinute("bob", 1), good},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := newLimiter(t)
			_, err := l.Take(t.Context(), buckets...)
			assert.Error(t, err)
			assert.Zero(t, take(t, l, good), "nothing was taken")
		})
	}
	t.Run("a context that is done", func(t *testing.T) {
		t.Parallel()
		l, _ := newLimiter(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := l.Take(ctx, good)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, take(t, l, good), "nothing was taken")
	})
	t.Run("more buckets than there is room for", func(t *testing.T) {
		t.Parallel()
		l, _ := newLimiter(t, store.WithMaxEntries(2))
		_, err := l.Take(t.Context(), good, perMinute("bob", 1), perMinute("carol", 1))
		assert.Error(t, err)
		assert.Zero(t, take(t, l, good))
	})
	t.Run("the zero limiter", func(t *testing.T) {
		t.Parallel()
		_, err := new(store.MemoryLimiter).Take(t.Context(), good)
		assert.Error(t, err)
	})
}

func TestNewMemoryLimiter_RefusesWrongOptions(t *testing.T) {
	t.Parallel()
	for want, opt := range map[string]store.MemoryOption{
		"store: NewMemoryLimiter: an option is nil":          nil,
		"store: WithMaxEntries: the number is less than two": store.WithMaxEntries(1),
		"store: WithClock: the function is nil":              store.WithClock(nil),
	} {
		_, err := store.NewMemoryLimiter(opt)
		assert.EqualError(t, err, want)
	}
}

// A caller succeeds after exactly the wait, even if it is rounded up to
// milliseconds. It does not succeed a little sooner.
func TestMemoryLimiter_WaitIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	edges := []store.Bucket{
		{Calls: 1, Per: 1}, {Calls: 3, Per: 1}, {Calls: 1, Per: math.MaxInt64}, {Calls: 999, Per: math.MaxInt64},
		{Calls: 7, Per: math.MaxInt64 / 3},
		{Calls: 3, Per: 10 * time.Second}, {Calls: 49, Per: time.Second}, {Calls: 100_000, Per: 7 * time.Millisecond},
		{Calls: 100_000, Per: math.MaxInt64},
		{Calls: 99_999, Per: 1},
	}
	for i := range longtest.Count(t, 25, 300) {
		b := store.Bucket{Calls: 1 + random.IntN(1<<random.IntN(10)), Per: time.Duration(1 + random.Int64N(1<<random.IntN(60)))}
		if i < len(edges) {
			b = edges[i]
		}
		b.Name = "anna"
		l, now := newLimiter(t)
		start := now.Now()
		taken(t, l, b, 2*b.Calls)
		for range 20 {
			for range random.IntN(3) {
				now.Advance(time.Duration(random.Int64N(max(1, int64(b.Per)/int64(b.Calls)))))
				take(t, l, b)
			}
			taken(t, l, b, 10)
			wait := take(t, l, b)
			if wait == 0 || wait == math.MaxInt64 {
				continue
			}
			require.LessOrEqual(t, wait.Seconds(), b.Per.Seconds()/float64(b.Calls)*1.000001+1e-8, "%+v", b)
			waited := wait
			if random.IntN(2) == 0 {
				waited = wait.Truncate(time.Millisecond)
				if waited < wait {
					waited += time.Millisecond
				}
			}
			early := max(0, wait-wait/1000-10)
			now.Advance(early)
			if early > 0 {
				require.Positive(t, take(t, l, b), "%+v: a wait of %v is longer than it had to be", b, wait)
			}
			now.Advance(waited - early)
			require.Zero(t, take(t, l, b), "%+v after %v, having waited %v for %v", b, now.Now().Sub(start), waited, wait)
		}
	}
}

// No window has more calls than a full bucket and the tokens that are refilled
// in it. The sums are exact integers, because the limiter's own are floating
// point.
func TestMemoryLimiter_NeverExceedsTheLimit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range longtest.Count(t, 10, 60) {
		b := store.Bucket{Name: "anna", Calls: 1 + random.IntN(30), Per: time.Duration(1 + random.Int64N(int64(time.Hour)))}
		l, now := newLimiter(t)
		start := now.Now()
		var at []time.Duration // one entry for each call that was let through
		for range 200 {
			now.Advance(time.Duration(random.Int64N(int64(b.Per)/int64(b.Calls)*2 + 1)))
			for take(t, l, b) == 0 {
				at = append(at, now.Now().Sub(start))
			}
		}
		for i := range at {
			for j := i; j < min(len(at), i+3*b.Calls); j++ {
				// Calls * window / Per + Calls, rounded down
				most := new(big.Int).Mul(big.NewInt(int64(at[j]-at[i])), big.NewInt(int64(b.Calls)))
				most.Add(most, big.NewInt(int64(b.Calls)-1)) // a call may be due within a fraction of a nanosecond
				most.Div(most, big.NewInt(int64(b.Per))).Add(most, big.NewInt(int64(b.Calls)))
				require.LessOrEqual(t, int64(j-i+1), most.Int64(), "%+v", b)
			}
		}
	}
}

func TestMemoryLimiter_ConcurrentCallsGetExactlyTheLimit(t *testing.T) {
	t.Parallel()
	l, err := store.NewMemoryLimiter() // with time.Now
	require.NoError(t, err)
	const limit = 137
	mine, all := store.Bucket{Name: "anna", Calls: 500, Per: 24 * time.Hour},
		store.Bucket{Name: "all", Calls: limit, Per: 24 * time.Hour}
	var through atomic.Int64
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			if wait, err := l.Take(t.Context(), mine, all); err == nil && wait == 0 {
				through.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, limit, through.Load())
	assert.Equal(t, 500-limit, taken(t, l, mine, 1000), "a call refused because of another bucket takes nothing")
}

func TestMemoryLimiter_ClockJumpsNeitherStopNorOverfillABucket(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		jumps []time.Duration
		want  int // calls allowed right after the last jump
	}{
		"back by an hour":                    {[]time.Duration{-time.Hour}, 0},
		"back, then a second passes":         {[]time.Duration{-time.Hour, time.Second}, 1},
		"back twice, a second in between":    {[]time.Duration{-time.Hour, time.Second, -time.Hour}, 1},
		"back by the longest duration":       {[]time.Duration{math.MinInt64, 2 * time.Second}, 2},
		"back step by step":                  {[]time.Duration{-1, -1, -1, -1, -1, -1}, 0},
		"ahead by an hour":                   {[]time.Duration{time.Hour}, 60},
		"ahead by the longest duration":      {[]time.Duration{math.MaxInt64}, 60},
		"ahead three times by the longest":   {[]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}, 60},
		"ahead and back":                     {[]time.Duration{time.Hour, -time.Hour}, 60},
		"far ahead, back, and a second more": {[]time.Duration{math.MaxInt64, math.MinInt64, time.Second}, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, now := newLimiter(t)
			b, seen := perMinute("anna", 60), perMinute("anna", 1)
			require.Equal(t, 60, taken(t, l, b, 100))
			for _, d := range tc.jumps {
				now.Advance(d)
				take(t, l, seen) // reads the clock
			}
			assert.Equal(t, tc.want, taken(t, l, b, 100))
			assert.Equal(t, time.Second, take(t, l, b), "the bucket refills as before")
			now.Advance(time.Second)
			assert.Equal(t, 1, taken(t, l, b, 100))
		})
	}
}

// A flood of new principals does not refill an exhausted one's bucket.
func TestMemoryLimiter_FloodKeepsExhaustedBuckets(t *testing.T) {
	t.Parallel()
	l, now := newLimiter(t, store.WithMaxEntries(100))
	for i := range 50 {
		require.Equal(t, 60, taken(t, l, perMinute("exhausted"+strconv.Itoa(i), 60), 100))
	}
	for i := range 10_000 {
		require.Zero(t, take(t, l, perMinute("fresh"+strconv.Itoa(i), 60)))
		if i%1000 == 0 {
			now.Advance(time.Millisecond)
		}
	}
	for i := range 50 {
		assert.Positive(t, take(t, l, perMinute("exhausted"+strconv.Itoa(i), 60)), i)
	}
	assert.Equal(t, 59, taken(t, l, perMinute("fresh9999", 60), 100), "the newest bucket is remembered")
	assert.Equal(t, 60, taken(t, l, perMinute("fresh5000", 60), 100), "an older full bucket was forgotten")
}

// A new bucket is limited even if all others are exhausted, and one call does
// not forget its own buckets.
func TestMemoryLimiter_FullMemoryStillLimitsNewBuckets(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, store.WithMaxEntries(10))
	for i := range 10 {
		require.Equal(t, 60, taken(t, l, perMinute(strconv.Itoa(i), 60), 100))
	}
	assert.Equal(t, 20, taken(t, l, perMinute("new", 20), 100))
	all, mine := store.Bucket{Name: "all", Calls: 1000, Per: time.Second},
		store.Bucket{Name: "mine", Calls: 5, Per: time.Second}
	for range 5 {
		require.Zero(t, take(t, l, mine, all))
	}
	assert.Positive(t, take(t, l, mine, all))
	assert.Equal(t, 995, taken(t, l, all, 2000))
}

// Forgetting a bucket that is full again changes no wait.
func TestMemoryLimiter_ForgetsFullBucketsWithoutLoss(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	small, now := newLimiter(t, store.WithMaxEntries(200))
	large, err := store.NewMemoryLimiter(store.WithClock(now.Now), store.WithMaxEntries(1_000_000))
	require.NoError(t, err)
	for range longtest.Count(t, 4_000, 20_000) { // of ten thousand names, 100 at a time
		b := perMinute(strconv.Itoa(int(now.Now().Unix()/60)*100+random.IntN(100)), 1+random.IntN(2))
		assert.Equal(t, take(t, large, b), take(t, small, b))
		now.Advance(time.Duration(random.Int64N(int64(600 * time.Millisecond))))
	}
}

// Whatever its clock does, a limiter gives no more tokens than were refilled
// while the clock went forward, and its waits are exact.
func TestMemoryLimiter_ErraticClockGrantsNoExtraTokens(t *testing.T) {
	t.Parallel()
	for seed := range uint64(longtest.Count(t, 20, 100)) { //nolint:gosec // a handful
		random := rand.New(rand.NewPCG(seed, 1))
		b := store.Bucket{Name: "anna", Calls: 1 + random.IntN(20), Per: time.Duration(1 + random.Int64N(int64(100*time.Second)))}
		l, now := newLimiter(t, store.WithMaxEntries(2+random.IntN(5)))
		var forwards time.Duration
		ahead := func(d time.Duration) { now.Advance(d); forwards += d }
		granted := 0
		for range 300 {
			switch random.IntN(4) {
			case 0:
				ahead(time.Duration(random.Int64N(int64(b.Per) + 1)))
			case 1:
				now.Advance(-time.Duration(random.Int64N(3*int64(b.Per) + 1)))
			}
			wait := take(t, l, b)
			if wait > 0 && random.IntN(3) == 0 {
				ahead(wait)
				wait = take(t, l, b)
				require.Zero(t, wait, "seed %d", seed)
			}
			if wait == 0 {
				granted++
			}
		}
		most := float64(b.Calls) * (1 + float64(forwards)/float64(b.Per))
		require.LessOrEqual(t, float64(granted), most*1.001, "seed %d", seed)
	}
}

// The buckets of occasional callers are full at each call. They are not
// recreated.
func TestMemoryLimiter_AllocatesNothingForAKnownBucket(t *testing.T) { //nolint:paralleltest // it counts for the whole process
	l, c := newLimiter(t)
	callers := [][]store.Bucket{{perMinute("a", 60)}, {perMinute("b", 60)}, {perMinute("c", 60), perMinute("all", 600)}}
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, buckets := range callers {
			c.Advance(time.Hour)
			_, _ = l.Take(ctx, buckets...)
		}
	}))
}
