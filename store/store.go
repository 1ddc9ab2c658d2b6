package store

import (
	"context"
	"time"
)

// A Store keeps the records of calls, the nonces that were spent, and counts.
// [Memory] is a store for a single process; package redisstore has one for
// several. Implementations must follow the rules below. Each rule begins with
// its name in package storetest, which checks it.
//
// Rules for all operations:
//
//   - clock: All times are measured by one clock, the store's. A duration d
//     that is given at the instant t is over at t+d exactly.
//   - context: An operation whose context is done before it begins returns an
//     error and changes nothing.
//   - deadline: An operation that has begun returns soon after its context is
//     done. Whether it took place is then unknown.
//   - invalid: A request that breaks the rules of its fields gets an error that
//     wraps [ErrInvalid], and changes nothing.
//   - errors: Errors hold no keys, owners, fingerprints or results.
//   - separate: Records, nonces and counts are separate, so that the same [Key]
//     may name one of each. Keys that differ in one part are different keys.
//   - concurrent: A store is safe for concurrent use.
//   - full: A bounded store refuses new claims and nonces with [ErrFull] rather
//     than forget a record or a nonce. It may refuse a partition earlier than
//     others, so that no partition fills it. If it knows when there may be
//     room, ErrFull is a [*FullError] with a positive time. It does not refuse
//     to change an existing record. It may drop results, which are then nil.
//     For counts it may forget those that are nearest to the end of their
//     window, or refuse new ones with ErrFull.
//   - bytes: A store with a bound of the bytes that it keeps for a partition
//     never exceeds it. If it has no room for a result it drops results of the
//     partition, the oldest first. A result that does not fit even then is
//     dropped itself, before any other. The records stay.
//
// Rules for records:
//
//   - claim: A claim gets the status of [Claim.StatusFor]. It discloses only
//     what [Record.ClaimResult] returns, and changes nothing unless it is
//     [Claimed].
//   - claim-atomic: A claim is one atomic step. Of any number of claims on one
//     key, at most one owner's is Claimed while its lease lasts.
//   - claim-repeated: A claim that its owner repeats is Claimed again, because
//     the first answer may have been lost. The lease and the retention begin
//     again.
//   - started: [Claim.Start] and Mark record that the execution may have begun.
//     A later claim on the record does not take this back.
//   - owner: Every change compares the owner in the same step. An owner that
//     does not hold the record in the required state gets [ErrLost] and changes
//     nothing.
//   - lease: The lease is a field of the record, and its end removes nothing,
//     so that an abandoned record can be seen. A renewal never lets a record
//     end before its lease, nor earlier than without the renewal.
//   - late: An owner whose record is in progress or unknown may complete it
//     after its lease, as long as no other owner has claimed it.
//   - replaces: A claim with [Claim.Replaces] takes a record that is Completed,
//     Failed or Unknown and has that owner, with any fingerprint. The former
//     result is removed. A record that was Unknown stays started.
//   - first-outcome: The first recorded outcome stands until a claim replaces
//     the record. An owner that completes a finished record again gets no error
//     and changes nothing, because the first answer may have been lost.
//   - results: Results are opaque. Nil, empty and any other bytes are returned
//     as they were given, in slices that share no memory with those of the
//     caller.
//   - retention: A record whose retention is over does not exist, and its key
//     can be claimed with any fingerprint. A completion sets the retention
//     anew.
//   - release: Release removes the record.
//   - resolve: Resolve settles the outcome of an abandoned record, and of no
//     other. Its former owner can no longer change it, and its result is nil.
//
// Rules for nonces:
//
//   - nonce: The first owner that spends a nonce is its only one while its TTL
//     lasts. If it spends the nonce again the answer is true again, because the
//     first answer may have been lost. The TTL does not get longer.
//   - nonce-atomic: Spending is one atomic step.
//   - nonce-claim: The nonce of a claim is spent in the same step, by its
//     owner, and only if the claim is Claimed. It stays spent whatever becomes
//     of the record, unless a release gives it back. If another owner had spent
//     it the claim is [NonceSpent]; see [Claim.Spends] for the exception.
//   - nonce-returned: A release gives back the nonce that it names, in the same
//     step, if the owner holds the record and has spent the nonce.
//
// Rules for counts:
//
//   - count: Each kind is counted on its own.
//   - count-atomic: Adding is one atomic step: n additions return each of 1 to
//     n once.
//   - window: The window begins with the first addition of any kind under a
//     key, and later additions do not move it. When it is over all counts of
//     the key are zero. Max returns the rest of the window.
//   - budget: A claim that would take a record is [Exhausted] if its [Budget]
//     is used up, and changes nothing. A claim that the owner of a record in
//     progress repeats is not checked again.
//   - budget-atomic: A claim reads the counts of its budget in the same step.
//   - forget: A completion that takes place resets the counts that it names in
//     the same step. A completion that is repeated, or gets ErrLost, resets
//     nothing.
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
	Release(ctx context.Context, r Release) error
	// Get returns the record, or the zero Record if there is none.
	Get(ctx context.Context, key Key) (Record, error)
	// Resolve settles the outcome of an abandoned record; see
	// [Record.IsAbandoned]. The record's owner is then zero, so that no late
	// completion overwrites what the operator declared, and its retention does
	// not change. The error is [ErrNotFound] or [ErrNotUnknown].
	Resolve(ctx context.Context, key Key, s Settlement) error

	// Spend uses a nonce and reports whether this owner is the one that did.
	Spend(ctx context.Context, n Nonce, by Owner) (bool, error)

	// Add counts one event of a kind and returns how many there were. The
	// window is positive.
	Add(ctx context.Context, key Key, kind string, window time.Duration) (int64, error)
	// Max returns the highest count of any kind and the rest of the window.
	Max(ctx context.Context, key Key) (Count, error)
	// Reset forgets all counts of the key.
	Reset(ctx context.Context, key Key) error

	// IsLocal reports whether the store belongs to this process alone: no other
	// process sees its records, and they end with the process. A guard requires
	// sealing keys for a store that is not local, because the processes that
	// share it must be able to open each other's results.
	IsLocal() bool

	// Epoch identifies the time for which the store remembers. If records are
	// lost, it changes, so that no answer of a person counts a second time. A
	// store whose records end with the process returns a random text for each
	// instance. A store that outlives its processes returns the same text in
	// all of them, and may return the empty text. It does not change while the
	// store is in use.
	Epoch() string
}
