package store

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var _ Limiter = (*MemoryLimiter)(nil)

// A MemoryLimiter is a [Limiter] in the memory of one process. Other processes
// do not see its counts, which are lost when the process ends.
// [NewMemoryLimiter] returns one. The zero MemoryLimiter returns an error from
// every Take. It is safe for concurrent use.
//
// [WithMaxEntries] bounds it. It starts no goroutine: once it holds more than a
// sixteenth of this number, each Take from a new bucket forgets a few buckets
// that are full again, which loses nothing. If that does not make room, Take
// forgets the bucket that would be full soonest, but never one of its own. A
// forgotten bucket counts as full too early, so its limit is then not fully
// enforced.
//
// Takes of different buckets wait for each other only if one of them adds a
// bucket.
type MemoryLimiter struct {
	max   int
	clock steadyClock

	mu      sync.RWMutex // for buckets and queue; a reader also locks the levels that it uses
	buckets map[Bucket]*level
	queue   levelQueue
}

// NewMemoryLimiter returns a limiter in which every bucket is full.
// [WithMaxEntries] bounds the number of buckets. [WithClock] sets the clock,
// which may go back: only its forward steps count. A bucket named by a guard
// takes about 350 bytes, so the default of 100,000 buckets takes at most 35 MB,
// however many callers there are. A Take from more buckets than the bound is an
// error. The error of NewMemoryLimiter names the invalid option.
func NewMemoryLimiter(opts ...MemoryOption) (*MemoryLimiter, error) {
	c, err := configured("NewMemoryLimiter", opts)
	if err != nil {
		return nil, err
	}
	l := &MemoryLimiter{max: c.maxEntries, clock: steadyClock{source: c.clock}, buckets: map[Bucket]*level{}}
	l.clock.start()
	return l, nil
}

// Take takes one token from each of the buckets, or none at all. A wait of zero
// means that it took them. Any other wait is the shortest time, to a few
// nanoseconds, after which it can, if no other caller takes tokens meanwhile. A
// wait is at most 292 years.
func (l *MemoryLimiter) Take(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("store: the limiter was not asked: %w", err)
	}
	if err := checkBuckets(buckets); err != nil {
		return 0, err
	}
	if l.buckets == nil {
		return 0, errors.New("store: the MemoryLimiter was not made by NewMemoryLimiter")
	}
	if len(buckets) > l.max {
		return 0, errors.New("store: the limiter holds fewer buckets than this call counts against")
	}
	return l.takeAt(l.clock.tick(), buckets...), nil
}

func (l *MemoryLimiter) takeAt(now time.Time, buckets ...Bucket) (wait time.Duration) {
	if wait, known := l.takeKnown(buckets, now); known {
		return wait
	}
	return l.takeNew(buckets, now)
}

// usualBuckets is how many buckets a Take can use without allocating.
const usualBuckets = 4

// takeKnown takes from buckets that are all in memory. If one is not, it takes
// nothing and returns false.
func (l *MemoryLimiter) takeKnown(buckets []Bucket, now time.Time) (wait time.Duration, known bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var room [usualBuckets]*level
	levels := l.find(room[:0], buckets)
	if len(levels) < len(buckets) {
		return 0, false
	}
	return take(levels, now), true
}

// find appends the levels of those buckets that are in memory.
func (l *MemoryLimiter) find(levels []*level, buckets []Bucket) []*level {
	for _, b := range buckets {
		if level, ok := l.buckets[b]; ok {
			levels = append(levels, level)
		}
	}
	return levels
}

// takeNew adds the buckets that are not in memory, then takes from all. If a
// known bucket is empty, it adds none and takes nothing.
func (l *MemoryLimiter) takeNew(buckets []Bucket, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.find(nil, buckets)
	for _, level := range known {
		wait = max(wait, level.until(now, 1))
	}
	if wait == 0 {
		l.add(buckets, known, now)
		take(l.find(nil, buckets), now)
	}
	l.sweep(now)
	return wait
}

// add adds the buckets that are not in memory. The known ones leave the queue
// while it makes room, so that it forgets none of them.
func (l *MemoryLimiter) add(buckets []Bucket, known []*level, now time.Time) {
	for _, level := range known {
		heap.Remove(&l.queue, level.place)
	}
	for len(l.queue) > l.max-len(buckets) {
		l.refresh(now)
		l.forgetFirst()
	}
	for _, level := range known {
		heap.Push(&l.queue, level)
	}
	for _, b := range buckets {
		if _, ok := l.buckets[b]; !ok {
			level := newLevel(b, now)
			l.buckets[b] = level
			heap.Push(&l.queue, level)
		}
	}
}

// refresh moves the bucket that is full soonest to the front of the queue. A
// Take does not move its buckets, so the time in front may be too early, but
// never too late: a Take only delays the time at which a bucket is full.
func (l *MemoryLimiter) refresh(now time.Time) {
	for l.moveFirst(now) {
	}
}

// moveFirst moves the first bucket of the queue to where it belongs, and
// reports whether it will be full later than the queue had it. A bucket that is
// full now stays in front: none is full sooner.
func (l *MemoryLimiter) moveFirst(now time.Time) bool {
	first := l.queue[0]
	full := first.fullAt(now)
	if !full.After(now) || !full.After(first.full) {
		return false
	}
	first.full = full
	heap.Fix(&l.queue, 0)
	return true
}

func (l *MemoryLimiter) forgetFirst() {
	first := heap.Pop(&l.queue).(*level) //nolint:forcetypeassert // only levels are put in
	delete(l.buckets, first.bucket)
}

// sweptPart divides the bound of a MemoryLimiter. Up to the quotient, it keeps
// full buckets, so that the bucket of an occasional caller is not recreated for
// each call.
const sweptPart = 16

// sweepPerTake is how many buckets one Take checks to forget full ones: more
// than it can add, so that they do not pile up.
const sweepPerTake = 8

// sweep forgets a few full buckets. It runs after the call has taken from its
// buckets, so that it forgets none of them.
func (l *MemoryLimiter) sweep(now time.Time) {
	for range sweepPerTake {
		if len(l.queue) <= l.max/sweptPart || l.queue[0].full.After(now) {
			return
		}
		if !l.moveFirst(now) {
			l.forgetFirst()
		}
	}
}

// take takes one token from each of the levels, or none if one has none.
func take(levels []*level, now time.Time) (wait time.Duration) {
	lock(levels)
	defer unlock(levels)
	for _, level := range levels {
		wait = max(wait, level.until(now, 1))
	}
	if wait > 0 {
		return wait
	}
	for _, level := range levels {
		level.takeOne(now)
	}
	return 0
}

// lock locks the levels in the same order for all calls, so that calls cannot
// deadlock.
func lock(levels []*level) {
	slices.SortFunc(levels, (*level).compare)
	for _, level := range levels {
		level.mu.Lock()
	}
}

func unlock(levels []*level) {
	for _, level := range levels {
		level.mu.Unlock()
	}
}
