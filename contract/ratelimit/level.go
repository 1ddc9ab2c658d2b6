package ratelimit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// A level is the state of one bucket.
type level struct {
	bucket Bucket
	tokens *rate.Limiter
	full   time.Time // when the bucket is full again
	place  int       // its index in the queue
}

func newLevel(b Bucket) *level {
	return &level{bucket: b, tokens: rate.NewLimiter(rate.Limit(float64(b.Calls)/b.Per.Seconds()), b.Calls)}
}

// until returns the time after which the bucket has the given number of tokens,
// which is at most Calls. A rounded quotient may be too small for the rate
// limiter to agree, so the time is stretched until it does.
func (l *level) until(now time.Time, tokens float64) time.Duration {
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

// A queue is a heap of levels, ordered by when they are full again.
type queue []*level

// Len, Less and Swap implement [sort.Interface].
func (q *queue) Len() int           { return len(*q) }
func (q *queue) Less(i, j int) bool { return (*q)[i].full.Before((*q)[j].full) }
func (q *queue) Swap(i, j int) {
	(*q)[i], (*q)[j] = (*q)[j], (*q)[i]
	(*q)[i].place, (*q)[j].place = i, j
}

// Push implements [heap.Interface].
func (q *queue) Push(x any) {
	added := x.(*level) //nolint:forcetypeassert // only levels are put in
	added.place = len(*q)
	*q = append(*q, added)
}

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	popped := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return popped
}
