package ratelimit

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var _ Limiter = (*Memory)(nil)

// A Memory is a [Limiter] in the memory of one process. Other processes do not
// see its counts, and the counts end with the process. [NewMemory] makes one.
// The zero Memory returns an error from every Take. It is safe for concurrent
// use.
//
// [WithMaxBuckets] bounds it. It starts no goroutine: each Take forgets a few
// buckets that are full again, which loses nothing. If that leaves no room,
// Take forgets the bucket that would be full the soonest, but never one that it
// takes from itself. A forgotten bucket counts as full too early, so its limit
// is not fully enforced then.
type Memory struct {
	max   int
	clock func() time.Time

	mu      sync.Mutex
	read    time.Time // the last reading of the clock
	now     time.Time // the sum of the clock's forward steps: it never goes back
	buckets map[Bucket]*level
	queue   queue
}

// NewMemory returns a Memory in which every bucket is full. The error names the
// wrong option.
func NewMemory(opts ...Option) (*Memory, error) {
	l := &Memory{max: DefaultMaxBuckets, clock: time.Now, buckets: map[Bucket]*level{}}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("ratelimit: NewMemory: an option is nil")
		}
		if err := opt.apply(l); err != nil {
			return nil, err
		}
	}
	l.read = l.clock()
	l.now = l.read.Round(0) // a monotonic reading cannot be carried past its range
	return l, nil
}

// Take takes one token from each of the buckets, or none at all. A wait of zero
// means that the tokens were taken. Any other wait is the shortest time, to a
// few nanoseconds, after which they can be, if no other caller takes meanwhile.
// A wait of more than 292 years is cut to that.
func (l *Memory) Take(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("ratelimit: the limiter was not asked: %w", err)
	}
	if err := checkBuckets(buckets); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clock == nil {
		return 0, errors.New("ratelimit: the Memory was not made by NewMemory")
	}
	if len(buckets) > l.max {
		return 0, errors.New("ratelimit: the limiter holds fewer buckets than this call counts against")
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
	l.sweep()
	return wait, nil
}

// sweepPerTake is the number of full buckets that one Take forgets. It is
// larger than the number that one Take adds, so that they do not pile up.
const sweepPerTake = 8

func (l *Memory) tick() {
	now := l.clock()
	l.now = l.now.Add(max(0, now.Sub(l.read)))
	l.read = now
}

// sweep forgets a few full buckets. It runs after the buckets of a call were
// taken from, so that the bucket of a caller that calls now and then is not
// made anew for each call.
func (l *Memory) sweep() {
	for range sweepPerTake {
		if len(l.queue) == 0 || l.queue[0].full.After(l.now) {
			return
		}
		l.forgetFullest()
	}
}

func (l *Memory) forgetFullest() {
	fullest := heap.Pop(&l.queue).(*level) //nolint:forcetypeassert // only levels are put in
	delete(l.buckets, fullest.bucket)
}

// take takes one token from each of the buckets, which must all have one. The
// buckets leave the queue while take makes room, so that it forgets none of
// them.
func (l *Memory) take(buckets []Bucket) {
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
			level = newLevel(b)
			l.buckets[b] = level
		}
		level.tokens.AllowN(l.now, 1)
		level.full = l.now.Add(level.until(l.now, float64(b.Calls)))
		heap.Push(&l.queue, level)
	}
}
