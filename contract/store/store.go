package store

import (
	"context"
	"time"
)

// A Store keeps the records of calls, the nonces that were spent, and counts.
// [Memory] is a store for a single process; package redisstore has one for
// several. Implementations must keep these rules, which the suite in package
// storetest checks.
//
// # Rules for every operation
//
// All times are measured by one clock, the store's. A duration d that is given
// at the instant t is over at t+d exactly.
//
// An operation whose context is done before it begins returns an error and
// changes nothing. An operation that has begun returns soon after its context
// is done; whether it took place is then unknown.
//
// A request that breaks the rules of its fields gets an error that wraps
// [ErrInvalid], and changes nothing.
//
// Records, nonces and counts are separate: the same [Key] may name one of each.
//
// Errors hold no keys, owners or results.
//
// # Rules for records
//
//  1. A claim is one atomic step. Of any number of claims on one key, at most
//     one owner's claim is [Claimed] while its lease lasts. [Claim.StatusFor]
//     returns the status for what the claim finds.
//  2. If its owner repeats a claim it is Claimed again, because the first
//     answer may have been lost. The lease and the retention begin again.
//  3. Every change compares the owner in the same step. An owner that no longer
//     holds the record gets [ErrLost] and changes nothing.
//  4. The lease is a field of the record, and its end removes nothing: a record
//     exists until its retention is over, so that an abandoned record can be
//     seen. A renewal never lets a record end before its lease.
//  5. An owner whose record is in progress or unknown may complete it late, as
//     long as nobody else has claimed it.
//  6. The first recorded outcome stands. If the owner completes a finished
//     record again it gets no error and changes nothing, because the first
//     answer may have been lost.
//  7. Results are opaque. Nil, empty and any other bytes are returned as they
//     were given, in slices that share no memory with those of the caller.
//  8. A record whose retention is over does not exist. Its key can be claimed
//     with any fingerprint.
//  9. A bounded store refuses new claims with [ErrFull] rather than forget a
//     record that is in progress, unknown or finished. It does not refuse to
//     change an existing record. It may drop the results of finished records,
//     which are then nil.
//
// # Rules for nonces
//
//  1. Spending is one atomic step: of any number of owners, exactly one spends
//     a nonce while its TTL lasts, the first.
//  2. If the same owner spends the nonce again the answer is true again,
//     because the first answer may have been lost. The TTL does not get longer.
//  3. A nonce is never forgotten before its TTL is over. If there is no room
//     for a new one the error is [ErrFull].
//  4. The nonce of a claim is spent in the same step as the claim, by its
//     owner, and only if the claim is Claimed.
//
// # Rules for counts
//
//  1. Adding is one atomic step: n additions return each of 1 to n once.
//  2. The window begins with the first addition of any kind under a key, and
//     later additions do not move it. When it is over all counts of the key
//     are zero.
//  3. A claim reads the counts of its [Budget] in the same step. If the claim
//     would take a record that its owner does not already hold in progress, and
//     the budget is used up, it is [Exhausted] and changes nothing.
//  4. A completion that takes place resets the counts that it names in the same
//     step. A completion that is repeated, or gets [ErrLost], resets nothing.
//  5. If there is no room, the counts that are nearest to the end of their
//     window may be forgotten, or new counts refused with [ErrFull].
//
// A Store is safe for concurrent use.
type Store interface {
	// Claim looks the record up and takes it if it is free.
	Claim(ctx context.Context, c Claim) (ClaimResult, error)
	// Mark records that the execution is about to start. Marking twice is no
	// error. The error is [ErrLost] if the owner does not hold the record in
	// progress.
	Mark(ctx context.Context, key Key, owner Owner) error
	// Renew begins the lease again. The error is [ErrLost] if the owner does
	// not hold the record in progress. An owner whose lease is over still holds
	// the record until another owner claims it.
	Renew(ctx context.Context, key Key, owner Owner, lease time.Duration) error
	// Complete records how the execution ended. The error is [ErrLost] if the
	// owner does not hold the record.
	Complete(ctx context.Context, c Completion) error
	// Release removes the record of an execution that had no effect, so that
	// the same call can be made again. The error is [ErrLost] if the owner does
	// not hold the record in progress or unknown.
	Release(ctx context.Context, key Key, owner Owner) error
	// Get returns the record, or the zero Record if there is none.
	Get(ctx context.Context, key Key) (Record, error)
	// Resolve settles the outcome of an abandoned record; see
	// [Record.IsAbandoned]. The record's owner is then zero, so that no late
	// completion overwrites what the operator declared, and its retention does
	// not change. The error is [ErrNotFound] or [ErrNotUnknown].
	Resolve(ctx context.Context, key Key, f Finding) error

	// Spend uses a nonce and reports whether this owner is the one that did.
	Spend(ctx context.Context, n Nonce, by Owner) (bool, error)

	// Add counts one event of a kind and returns how many there were. The
	// window is positive.
	Add(ctx context.Context, key Key, kind string, window time.Duration) (int64, error)
	// Max returns the highest count of any kind, zero if nothing was counted.
	Max(ctx context.Context, key Key) (int64, error)
	// Reset forgets all counts of the key.
	Reset(ctx context.Context, key Key) error

	// IsLocal reports whether the store belongs to this process alone: no other
	// process sees its records, and they end with the process. A guard requires
	// sealing keys for a store that is not local, because the processes that
	// share it must be able to open each other's results.
	IsLocal() bool
}
