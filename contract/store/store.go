package store

import (
	"context"
	"time"
)

// A Store keeps the records of managed calls. [Memory] is one for a single process; package redisstore
// has one for many. Who writes another keeps these rules, which the suite in storetest checks:
//
//  1. A claim is one atomic step: of any number of claims on one key, at most one owner's is [Claimed]
//     while its lease lasts. [Claim.Judge] has the verdict for what it finds.
//  2. A claim that is repeated by its owner is Claimed again, for its first answer may have been lost. Its
//     lease and its retention begin again.
//  3. Every change compares the owner in the same step: an owner that no longer holds the record gets
//     [ErrLost] and changes nothing.
//  4. The lease is a field of the record, and its end removes nothing: a record exists until its retention
//     is over, so that an abandoned one is seen. A renewal never lets a record end before its lease.
//  5. Times are measured by one clock, the store's. A lease or a retention of d, given at t, is over at
//     t+d exactly.
//  6. An owner in progress or unknown may complete its record late, as long as nobody else claimed it.
//  7. The first outcome on record stands. To complete again what the same owner has finished is no
//     error and changes nothing, for the first answer may have been lost.
//  8. Results are opaque: nil, empty and any bytes come back as they were given, in slices that share
//     nothing with what the caller holds.
//  9. A nonce of a claim is spent in the same step, only where the record is claimed, and by its owner:
//     see [Nonces].
//  10. A record whose retention is over does not exist. Its key can be claimed with any fingerprint.
//  11. An operation whose context is done before it begins returns an error and changes nothing. One that
//     has begun returns soon after the end of its context; whether it took place is then not known.
//  12. A store that is bounded refuses new claims with [ErrFull] rather than forget a record that is in
//     progress, unknown or finished. It does not refuse to change a record there is. It may drop the
//     results of finished records, which are then nil.
//  13. A request that breaks the rules of its fields gets an error that wraps [ErrInvalid].
//  14. A claim with a [Budget] looks its counts up in the same step. Where it would take a record that its
//     owner does not hold in progress, and the budget is used up, it is [Exhausted] and changes nothing.
//  15. A completion that takes place forgets the counts that it names in the same step. One that is repeated,
//     or gets [ErrLost], forgets nothing.
//
// The last two are for who implements [Counter] too; another store is given neither.
//
// Errors carry no keys, owners or results. A Store is safe for concurrent use.
type Store interface {
	// Claim looks the record up and takes it where it can be had.
	Claim(ctx context.Context, c Claim) (Answer, error)
	// Mark says that the execution is about to start. Marking twice is no error. The error is [ErrLost]
	// where the owner does not hold the record in progress.
	Mark(ctx context.Context, key Key, owner Owner) error
	// Renew lets the lease begin again. The error is [ErrLost] where the owner does not hold the record in
	// progress; an owner whose lease is over holds it until another claims it.
	Renew(ctx context.Context, key Key, owner Owner, lease time.Duration) error
	// Complete records how the execution ended. The error is [ErrLost] where the owner does not hold the
	// record.
	Complete(ctx context.Context, c Completion) error
	// Release removes the record of an execution that had no effect, so that the same call can be made
	// again. The error is [ErrLost] where the owner does not hold the record in progress or unknown.
	Release(ctx context.Context, key Key, owner Owner) error
	// Get returns the record, or the zero Record where there is none.
	Get(ctx context.Context, key Key) (Record, error)
	// Resolve ends the doubt about an abandoned record; see [Record.IsAbandoned]. Its owner is then zero,
	// so that nothing late overwrites what the operator said, and its retention does not change. The error
	// is [ErrNotFound] or [ErrNotUnknown].
	Resolve(ctx context.Context, key Key, r Resolution) error
}
