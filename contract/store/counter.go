package store

import (
	"context"
	"time"
)

// A Counter counts, for each key, how often things of several kinds happened within a window. Who
// implements one keeps these rules, which the suite in storetest checks:
//
//  1. Adding is one atomic step: n additions return each of 1 to n once.
//
//  2. The window begins with the first addition under a key, of whatever kind, and is not moved by later
//     ones. When it is over all counts of the key are zero.
//
//  3. Counters are apart from records and nonces with the same [Key]. What is counted here counts for the
//     [Budget] of a [Claim], and what a [Completion] forgets is forgotten here.
//
//  4. Where there is no room, the counts that are nearest to the end of their window may be forgotten.
//
//  5. An operation whose context is done before it begins returns an error and changes nothing. A zero key
//     gets an error that wraps [ErrInvalid].
//
// A Counter is safe for concurrent use.
type Counter interface {
	// Add counts one thing of a kind and returns how many there were. The window is positive; else the error
	// wraps [ErrInvalid].
	Add(ctx context.Context, key Key, kind string, window time.Duration) (int64, error)
	// Max returns the highest count of any kind, zero where nothing was counted.
	Max(ctx context.Context, key Key) (int64, error)
	// Reset forgets all counts of the key.
	Reset(ctx context.Context, key Key) error
}
