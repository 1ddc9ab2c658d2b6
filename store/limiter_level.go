package store

import (
	"cmp"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A level is the state of one bucket.
type level struct {
	bucket Bucket
	full   time.Time // orders the queue: when the bucket is full again, or an earlier time
	place  int       // its index in the queue

	mu     sync.Mutex
	tokens *rate.Limiter
	last   time.Time // when a token was last taken
}

// newLevel returns the level of a full bucket.
func newLevel(b Bucket, now time.Time) *level {
	return &level{bucket: b, full: now, tokens: rate.NewLimiter(rate.Limit(float64(b.Calls)/b.Per.Seconds()), b.Calls), last: now}
}

// compare orders the levels of different buckets.
func (l *level) compare(other *level) int {
	return cmp.Or(
		cmp.Compare(l.bucket.Name, other.bucket.Name), cmp.Compare(l.bucket.Calls, other.bucket.Calls),
		cmp.Compare(l.bucket.Per, other.bucket.Per),
	)
}

// at returns now, or the time of the last take if that is later: another call
// may read the clock later than this one and still take first. Otherwise the
// time between the two would fill the bucket twice.
func (l *level) at(now time.Time) time.Time {
	if now.Before(l.last) {
		return l.last
	}
	return now
}

// takeOne takes a token. There must be one.
func (l *level) takeOne(now time.Time) {
	l.last = l.at(now)
	l.tokens.AllowN(l.last, 1)
}

// fullAt returns when the bucket is full.
func (l *level) fullAt(now time.Time) time.Time {
	now = l.at(now)
	return now.Add(l.until(now, float64(l.bucket.Calls)))
}

// until returns the time after which the bucket has the given number of tokens,
// which is at most Calls. Rounding can make the quotient too small for the rate
// limiter to agree, so until lengthens it until it does.
func (l *level) until(now time.Time, tokens float64) time.Duration {
	now = l.at(now)
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

// A levelQueue is a heap of levels, ordered by when they are full again.
type levelQueue []*level

// Len, Less and Swap implement [sort.Interface].
func (q *levelQueue) Len() int           { return len(*q) }
func (q *levelQueue) Less(i, j int) bool { return (*q)[i].full.Before((*q)[j].full) }
func (q *levelQueue) Swap(i, j int) {
	(*q)[i], (*q)[j] = (*q)[j], (*q)[i]
	(*q)[i].place, (*q)[j].place = i, j
}

// Push implements [heap.Interface].
func (q *levelQueue) Push(x any) {
	added := x.(*level) //nolint:forcetypeassert // only levels are put in
	added.place = len(*q)
	*q = append(*q, added)
}

// Pop implements [heap.Interface].
func (q *levelQueue) Pop() any {
	last := len(*q) - 1
	popped := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return popped
}
