package store

import (
	"context"
	"time"
)

// A Store keeps records of calls, spent nonces, and counts. [Memory] is a store
// for a single process; packages redisstore and sqlstore have stores for
// several. Implementations must follow the rules below. Each begins with its
// name in package storetest, which checks it.
//
// Rules for all operations:
//
//   - clock: One clock, the store's, measures all times. A duration d given at
//     the instant t ends exactly at t+d.
//   - context: An operation whose context is done before it begins returns an
//     error and changes nothing.
//   - deadline: An operation in progress returns soon after its context is
//     done. Whether it took place is then unknown.
//   - invalid: A request with a field that breaks its rules gets an error that
//     wraps [ErrInvalid], and changes nothing.
//   - errors: Errors contain no keys, owners, fingerprints or results.
//   - separate: Records, nonces and counts are separate: the same [Key] may
//     name one of each. Keys that differ in either part are different keys.
//   - concurrent: A store is safe for concurrent use.
//   - full: A bounded store refuses new claims and nonces with [ErrFull] rather
//     than forget a record or a nonce. It may refuse one partition before
//     others, so that none fills the store. If it knows when there may be room,
//     ErrFull is a [*FullError] with a positive time. It never refuses to
//     change an existing record. It may drop results, which are then nil. Of
//     counts it may forget those whose window ends first, or refuse new ones
//     with ErrFull.
//   - bytes: A store that bounds the bytes of a partition never exceeds the
//     bound. To make room for a result it drops other results of the partition,
//     the oldest first. A result that would not fit even then is dropped
//     itself, and no other is. The records stay.
//
// Rules for records:
//
//   - claim: A claim gets the status that [Claim.StatusFor] returns. It
//     discloses only what [Record.ClaimResult] does, and changes nothing unless
//     it is [Claimed].
//   - claim-atomic: A claim is one atomic step. However many claims there are
//     on one key, at most one owner's is Claimed until its lease ends.
//   - claim-repeated: A claim repeated by its owner is Claimed again, because
//     the first answer may have been lost. The lease and the retention start
//     anew.
//   - started: [Claim.Start] and Mark record that the execution may have begun.
//     A later claim on the record does not undo this.
//   - owner: Every change compares the owner in the same step. An owner that
//     does not hold the record in the required state gets [ErrLost] and changes
//     nothing. Owners are opaque, and [Store.Get] returns one exactly as it was
//     given.
//   - lease: The lease is a field of the record. When it ends nothing is
//     removed, so that an abandoned record stays visible. [Record.LeaseLeft]
//     then shows how long ago it ended. A renewal never lets a record expire
//     before its lease ends, nor earlier than it would have without the
//     renewal.
//   - late: An owner whose record is in progress or unknown may complete it
//     after its lease, also as Unknown, as long as no other owner has claimed
//     it.
//   - replaces: A claim with [Claim.Replaces] takes a record that is Completed,
//     Failed or Unknown and belongs to that owner, whatever its fingerprint. Of
//     any number of such claims, only the first takes it. The former result is
//     removed. A record that was Unknown stays started.
//   - first-outcome: The first recorded outcome is final until a claim replaces
//     the record. An owner that completes a finished record again gets no error
//     and changes nothing, because the first answer may have been lost.
//   - results: Results are opaque. Nil, empty and any other bytes come back as
//     given, in slices that share no memory with the caller's. Only Get returns
//     the result of a record that is Unknown.
//   - retention: A record whose retention has ended does not exist, and its key
//     can be claimed with any fingerprint. A completion sets a new retention.
//   - release: Release removes the record.
//   - resolve: Resolve settles the outcome of abandoned records only. The
//     former owner can no longer change it, and the result is nil.
//
// Rules for nonces:
//
//   - nonce: The first owner to spend a nonce is its only one until the TTL
//     ends. If that owner spends it again the answer is true again, because the
//     first answer may have been lost. The TTL is not extended.
//   - nonce-atomic: Spending is one atomic step.
//   - nonce-claim: The nonce of a claim is spent in the same step, by its
//     owner, and only if the claim is Claimed. It stays spent whatever happens
//     to the record, unless a release gives it back. If another owner has
//     already spent it the claim is [NonceSpent]; see [Claim.Spends] for the
//     exception.
//   - nonce-returned: A release gives back the nonce that it names, in the same
//     step, if the owner holds the record and spent the nonce.
//
// Rules for counts:
//
//   - count: Each kind is counted separately.
//   - count-atomic: Adding is one atomic step: n additions return each of 1 to
//     n once.
//   - window: The window begins with the first addition of any kind under a
//     key, and later additions do not move it. When it ends, all counts of the
//     key are zero. Max returns the time that remains.
//   - budget: A claim that would take a record is [Exhausted] if its [Budget]
//     is used up, and changes nothing. A claim repeated by the owner of a
//     record in progress is not checked again.
//   - budget-atomic: A claim reads the counts of its budget in the same step.
//   - forget: A completion that takes place resets the counts that it names, in
//     the same step. A repeated completion, or one that gets ErrLost, resets
//     nothing.
type Store interface {
	// Claim looks the record up and takes it if it is free.
	Claim(ctx context.Context, c Claim) (ClaimResult, error)
	// Mark records that the execution is about to start. Marking twice is not
	// an error. The error is [ErrLost] if the owner does not hold the record in
	// progress.
	Mark(ctx context.Context, key Key, owner Owner) error
	// Renew starts the lease anew. The error is [ErrLost] if the owner does not
	// hold the record in progress. An owner whose lease has ended still holds
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
	// [Record.IsAbandoned]. The record then has the zero owner, so that no late
	// completion overwrites what the operator declared. Its retention does not
	// change. The error is [ErrNotFound] or [ErrNotUnknown].
	Resolve(ctx context.Context, key Key, s Settlement) error

	// Spend spends a nonce and reports whether this owner is the one that spent
	// it.
	Spend(ctx context.Context, n Nonce, by Owner) (bool, error)

	// Add counts one event of a kind and returns the new count. The window must
	// be positive.
	Add(ctx context.Context, key Key, kind string, window time.Duration) (int64, error)
	// Max returns the highest count of any kind and the time until the window
	// ends.
	Max(ctx context.Context, key Key) (Count, error)
	// Reset forgets all counts of the key.
	Reset(ctx context.Context, key Key) error

	// IsLocal reports whether the store belongs to this process alone: no other
	// process sees its records, and they are lost when the process ends. A
	// guard requires sealing keys for a store that is not local, because the
	// processes that share it must be able to open each other's results.
	IsLocal() bool

	// Epoch identifies the period that the store remembers. It changes when
	// records are lost, so that no person's answer counts twice. A store whose
	// records are lost when its process ends returns a random text for each
	// instance. A store that outlives its processes returns the same text in
	// all of them, which may be empty. The epoch does not change while the
	// store is in use.
	Epoch() string
}
