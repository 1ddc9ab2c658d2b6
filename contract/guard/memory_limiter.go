package guard

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

var _ Limiter = (*MemoryLimiter)(nil)

// DefaultMaxBuckets is how many buckets a [MemoryLimiter] holds without
// [MaxBuckets].
const DefaultMaxBuckets = 100_000

// A MemoryLimiter is a [Limiter] in the memory of one process: a second process
// does not see what it counts, and it ends with its own. [NewLimiter] makes one;
// the zero MemoryLimiter refuses every Take. It is safe for concurrent use.
//
// It is bounded by [MaxBuckets] and starts no goroutine: each Take forgets a few
// buckets that are full again, which loses nothing. Where that leaves no room, it
// forgets the one that is full the soonest, never one that it takes from. Such a
// bucket is full before its time, and its limit did not hold meanwhile.
type MemoryLimiter struct {
	max   int
	clock func() time.Time

	mu      sync.Mutex
	read    time.Time // the last reading of the clock
	now     time.Time // read, but for the steps back: it never stands still while the clock goes on
	buckets map[Bucket]*bucketLevel
	queue   bucketQueue
}

// A LimiterOption configures a [MemoryLimiter].
type LimiterOption interface{ apply(*MemoryLimiter) error }

type limiterOptionFunc func(*MemoryLimiter) error

func (f limiterOptionFunc) apply(l *MemoryLimiter) error { return f(l) }

// MaxBuckets bounds how many buckets there are that are not full, and with it
// the memory: about 350 bytes each with the names that a guard gives them, so that
// the default holds 35 MB, however many callers there are. Default:
// [DefaultMaxBuckets]. Less than two, which one call of a guard may take from, is
// an error, and so is a Take of more.
func MaxBuckets(n int) LimiterOption {
	return limiterOptionFunc(func(l *MemoryLimiter) error {
		if n < 2 {
			return errors.New("guard: MaxBuckets: the number is less than two")
		}
		l.max = n
		return nil
	})
}

// WithLimiterClock sets what tells the time. Default: [time.Now]. Only differences
// count, by the monotonic clock where the times have a reading of it, so that
// setting the wall clock moves nothing; whether a computer's sleep counts is for
// that clock to say. The function is called under the lock of the limiter, and
// must not use it. Nil is an error.
func WithLimiterClock(now func() time.Time) LimiterOption {
	return limiterOptionFunc(func(l *MemoryLimiter) error {
		if now == nil {
			return errors.New("guard: WithLimiterClock: the function is nil")
		}
		l.clock = now
		return nil
	})
}

// NewLimiter returns a MemoryLimiter in which every bucket is full. The error
// names the option that is wrong.
func NewLimiter(opts ...LimiterOption) (*MemoryLimiter, error) {
	l := &MemoryLimiter{max: DefaultMaxBuckets, clock: time.Now, buckets: map[Bucket]*bucketLevel{}}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("guard: NewLimiter: an option is nil")
		}
		if err := opt.apply(l); err != nil {
			return nil, err
		}
	}
	l.read = l.clock()
	l.now = l.read.Round(0) // a monotonic reading cannot be carried past its range
	return l, nil
}

// Take takes one call from each of the buckets, or from none of them. A wait of
// zero says that it was taken, else it is the shortest time, to a few
// nanoseconds, after which it would be if nobody else took meanwhile. A wait
// past 292 years is cut to that.
func (l *MemoryLimiter) Take(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("guard: the limiter was not asked: %w", err)
	}
	if err := checkBuckets(buckets); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clock == nil {
		return 0, errors.New("guard: the MemoryLimiter was not made by NewLimiter")
	}
	if len(buckets) > l.max {
		return 0, errors.New("guard: the limiter holds fewer buckets than this call counts against")
	}
	l.tick()
	for _, b := range buckets {
		if level, ok := l.buckets[b]; ok {
			wait = max(wait, level.until(l.now, 1))
		}
	}
	if wait == 0 {
		l.take(buckets)
	}
	return wait, nil
}

// sweepPerTake is how many buckets that are full again one Take forgets: more
// than a call has, so that they do not pile up.
const sweepPerTake = 8

// tick reads the clock, and forgets a few buckets that are full.
func (l *MemoryLimiter) tick() {
	now := l.clock()
	l.now = l.now.Add(max(0, now.Sub(l.read)))
	l.read = now
	for range sweepPerTake {
		if len(l.queue) == 0 || l.queue[0].full.After(l.now) {
			return
		}
		l.forgetFullest()
	}
}

func (l *MemoryLimiter) forgetFullest() {
	level := heap.Pop(&l.queue).(*bucketLevel) //nolint:forcetypeassert // only levels are put in
	delete(l.buckets, level.bucket)
}

// take takes from buckets that all have a call to give. They are out of the
// queue while room is made, so that none of them goes for another.
func (l *MemoryLimiter) take(buckets []Bucket) {
	for _, b := range buckets {
		if level, ok := l.buckets[b]; ok {
			heap.Remove(&l.queue, level.place)
		}
	}
	for len(l.queue) > l.max-len(buckets) {
		l.forgetFullest()
	}
	for _, b := range buckets {
		level, ok := l.buckets[b]
		if !ok {
			level = newBucketLevel(b)
			l.buckets[b] = level
		}
		level.tokens.AllowN(l.now, 1)
		level.full = l.now.Add(level.until(l.now, float64(b.Calls)))
		heap.Push(&l.queue, level)
	}
}

// A bucketLevel is how full a bucket is.
type bucketLevel struct {
	bucket Bucket
	tokens *rate.Limiter
	full   time.Time // when it is full again
	place  int       // in the queue
}

func newBucketLevel(b Bucket) *bucketLevel {
	return &bucketLevel{bucket: b, tokens: rate.NewLimiter(rate.Limit(float64(b.Calls)/b.Per.Seconds()), b.Calls)}
}

// until returns the time after which there are so many tokens, at most Calls.
// What counts is what the limiter itself will find then, for the quotient may
// fall short of it by a rounding: the time is stretched until it does not.
func (l *bucketLevel) until(now time.Time, tokens float64) time.Duration {
	missing := tokens - l.tokens.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	nanoseconds := math.Ceil(missing / float64(l.tokens.Limit()) * float64(time.Second))
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	wait := time.Duration(nanoseconds)
	for step := time.Duration(1); l.tokens.TokensAt(now.Add(wait)) < tokens; step *= 2 {
		if wait > math.MaxInt64-step {
			return math.MaxInt64
		}
		wait += step
	}
	return wait
}

// A bucketQueue is a heap of levels, the one that is full the soonest first.
type bucketQueue []*bucketLevel

// Len, Less and Swap implement [sort.Interface].
func (q *bucketQueue) Len() int           { return len(*q) }
func (q *bucketQueue) Less(i, j int) bool { return (*q)[i].full.Before((*q)[j].full) }
func (q *bucketQueue) Swap(i, j int) {
	(*q)[i], (*q)[j] = (*q)[j], (*q)[i]
	(*q)[i].place, (*q)[j].place = i, j
}

// Push implements [heap.Interface].
func (q *bucketQueue) Push(x any) {
	level := x.(*bucketLevel) //nolint:forcetypeassert // only levels are put in
	level.place = len(*q)
	*q = append(*q, level)
}

// Pop implements [heap.Interface].
func (q *bucketQueue) Pop() any {
	last := len(*q) - 1
	level := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return level
}
