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
// At most Calls calls can happen at once, and in the long run Calls in each
// Per. A single window of Per can see up to twice as many, when a full bucket
// is emptied and each refilled token is taken at once.
//
// All fields together identify a bucket: the same name with another limit is a
// different bucket. The zero Bucket is invalid.
type Bucket struct {
	// Name identifies the owner of the limit. It is opaque and short, such as a
	// digest, must be the same on every replica, and must not be empty.
	Name string
	// Calls is the number of calls that may happen at once. It must be at least
	// one.
	Calls int
	// Per is the time in which an empty bucket refills. It must be positive.
	Per time.Duration
}

// A Limiter bounds how often things happen. Implementations must follow these
// rules:
//
//  1. Take is one atomic step. Either it takes one token from each bucket and
//     returns a wait of zero, or at least one bucket is empty and it takes
//     none.
//
//  2. A bucket that the limiter has not seen before is full.
//
//  3. The wait is exact: a caller that tries again after it, or later,
//     succeeds if no other caller took from these buckets meanwhile. It is the
//     shortest such time that the limiter's clock can resolve.
//
//  4. A clock that steps back neither fills a bucket nor stops it from
//     filling. A clock that jumps ahead fills a bucket to Calls at most.
//
//  5. When there is no room for another bucket, the limiter forgets the bucket
//     that would be full again soonest. So among buckets with equal limits, a
//     flood of new callers does not refill the bucket of an exhausted one.
//
//  6. If the context is done, there is no bucket, or a bucket is invalid or
//     repeated, Take returns an error and takes nothing.
//
// Take's caller decides what an error means.
//
// A Limiter is safe for concurrent use. [NewMemoryLimiter] returns one that
// counts in this process. Replicas that share limits need a shared Limiter.
type Limiter interface {
	// Take takes one token from each of the buckets, or none at all. A wait of
	// zero means that it took them. Any other wait is the shortest time after
	// which it can, if no other caller takes tokens meanwhile.
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
