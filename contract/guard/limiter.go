package guard

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Bucket is one limit that a call counts against: a token bucket, which holds
// Calls at first, gives one to each call, and gets them back evenly, Calls in
// Per. At most Calls happen at once and, over a long time, Calls in each Per; in
// one window of Per it may be twice as many, where a full bucket is emptied and
// each call that comes back is taken.
//
// A bucket is identified by all of its fields: the same name with another limit
// is another bucket. The zero Bucket is not valid.
type Bucket struct {
	// Name says whose limit it is: opaque and short, such as a digest, and the
	// same on every replica. Not empty.
	Name string
	// Calls is how many calls may happen at once. At least one.
	Calls int
	// Per is the time in which Calls are given back. Positive.
	Per time.Duration
}

// A Limiter bounds how often things happen. Who implements one keeps these rules:
//
//  1. Take is one atomic step. It takes one call from each of the buckets, and
//     then wait is zero; or it takes from none, where any of them is empty.
//
//  2. A bucket that was not seen before is full.
//
//  3. wait is true: whoever calls again after it, or any longer time, is let
//     through if nobody else took from these buckets meanwhile. It is the
//     shortest such time, but for the resolution of the limiter's clock.
//
//  4. A clock that steps back neither stops a bucket from filling nor fills it,
//     and one that jumps ahead fills it at most to Calls.
//
//  5. Where there is no room for another bucket, the one that is full the soonest
//     is forgotten, so that of buckets with one limit a flood of callers who were
//     not seen before leaves those exhausted who are.
//
//  6. A context that is done, buckets that are not valid, none at all, and one that
//     is named twice, are errors, and then nothing is taken.
//
// What an error means for the call is for who uses the Limiter to say.
//
// A Limiter is safe for concurrent use. [NewLimiter] makes one that counts in
// this process; replicas that are to share their limits need one that they share.
type Limiter interface {
	// Take takes one call from each of the buckets, or from none of them. A wait of
	// zero says that it was taken, else it is the shortest time after which it would
	// be, if nobody else took meanwhile.
	Take(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error)
}

func (b Bucket) check() error {
	switch {
	case b.Name == "":
		return errors.New("guard: a bucket has no name")
	case b.Calls < 1:
		return errors.New("guard: a bucket allows no call")
	case b.Per <= 0:
		return errors.New("guard: the time of a bucket is not positive")
	}
	return nil
}

// checkBuckets finds what is wrong with the buckets of one Take.
func checkBuckets(buckets []Bucket) error {
	if len(buckets) == 0 {
		return errors.New("guard: no bucket to take from")
	}
	for i, b := range buckets {
		if err := b.check(); err != nil {
			return err
		}
		if slices.Contains(buckets[:i], b) {
			return errors.New("guard: a bucket is named twice")
		}
	}
	return nil
}
