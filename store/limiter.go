package store

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Bucket is one limit that a call counts against. It is a token bucket: it
// starts with Calls tokens, each call takes one, and the bucket refills evenly,
// by Calls tokens in each Per.
//
// At most Calls happen at once, and Calls in each Per over a long time. A
// single window of Per can contain up to twice as many, when a full bucket is
// emptied and every refilled token is taken.
//
// All fields together identify a bucket: the same name with another limit is
// another bucket. The zero Bucket is not valid.
type Bucket struct {
	// Name identifies the owner of the limit. It is opaque and short, such as a
	// digest, and the same on every replica. It must not be empty.
	Name string
	// Calls is the number of calls that may happen at once. It is at least one.
	Calls int
	// Per is the time in which an empty bucket refills. It is positive.
	Per time.Duration
}

// A Limiter bounds how often things happen. Implementations must follow these
// rules:
//
//  1. Take is one atomic step. It takes one token from each bucket and returns
//     a wait of zero, or it takes none because at least one bucket is empty.
//
//  2. A bucket that was not seen before is full.
//
//  3. The wait is exact: a caller that tries again after it, or later, succeeds
//     if no other caller took from these buckets meanwhile. It is the shortest
//     such time that the resolution of the limiter's clock allows.
//
//  4. A clock that steps back neither stops a bucket from filling nor fills it.
//     A clock that jumps ahead fills a bucket to Calls at most.
//
//  5. When there is no room for another bucket, the limiter forgets the bucket
//     that would be full again the soonest. Among buckets with equal limits, a
//     flood of new callers therefore does not free an exhausted caller.
//
//  6. A done context, an invalid bucket, no bucket and a repeated bucket are
//     errors. Take then takes nothing.
//
// The caller of Take decides how to treat an error.
//
// A Limiter is safe for concurrent use. [NewMemoryLimiter] makes one that
// counts in this process. Replicas that share their limits need a Limiter that
// they share.
type Limiter interface {
	// Take takes one token from each of the buckets, or none at all. A wait of
	// zero means that the tokens were taken. Any other wait is the shortest
	// time after which they can be, if no other caller takes meanwhile.
	Take(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error)
}

func (b Bucket) check() error {
	switch {
	case b.Name == "":
		return errors.New("store: a bucket has no name")
	case b.Calls < 1:
		return errors.New("store: a bucket allows no call")
	case b.Per <= 0:
		return errors.New("store: the time of a bucket is not positive")
	}
	return nil
}

// checkBuckets returns an error if Take cannot use the buckets.
func checkBuckets(buckets []Bucket) error {
	if len(buckets) == 0 {
		return errors.New("store: no bucket to take from")
	}
	for i, b := range buckets {
		if err := b.check(); err != nil {
			return err
		}
		if slices.Contains(buckets[:i], b) {
			return errors.New("store: a bucket is named twice")
		}
	}
	return nil
}
