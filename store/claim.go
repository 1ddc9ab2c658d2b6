package store

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Claim requests the right to execute a call.
type Claim struct {
	// Key names the record.
	Key Key
	// Owner identifies the execution. It is safe for an owner to repeat its
	// claim.
	Owner Owner
	// Fingerprint is the digest of the call's arguments.
	Fingerprint Digest
	// Lease is how long the owner counts as alive without a renewal. It must be
	// positive.
	Lease time.Duration
	// Retention is how long the record is kept from now on, unless a renewal or
	// the completion changes that. It must not be shorter than Lease.
	Retention time.Duration
	// Start marks the execution as started in the same step; see [Store.Mark].
	Start bool
	// Rerun takes over an abandoned record. The record stays started, because
	// the outcome of the earlier execution is still unknown.
	Rerun bool
	// Replaces lets the claim take over a record that is Completed, Failed or
	// Unknown and belongs to this owner. The claim's fingerprint may differ,
	// because a call that failed or was undone gives up its key. The zero Owner
	// replaces nothing.
	Replaces Owner
	// Nonce is spent by the owner in the same step, if the claim takes the
	// record. The zero Nonce spends nothing.
	Nonce Nonce
	// Budget is checked in the same step if the claim would take the record. It
	// is not checked again when the owner repeats its claim. The zero Budget
	// limits nothing.
	Budget Budget
}

// StatusFor returns the status of a claim that finds the given record, where
// highest is the highest count of any kind under the key of its budget. It
// ignores the nonce: a store that finds it spent returns [NonceSpent] instead
// of Claimed, unless [Claim.Spends] allows the claim.
//
// The rules, in order:
//
//   - A record that the claim replaces is free.
//   - A record with a different fingerprint is Conflicting, whatever its state.
//   - A recorded outcome is Finished.
//   - A record in progress is Claimed for its owner. For everyone else it is
//     Running until the lease ends.
//   - An abandoned record is Abandoned, unless the claim has Rerun.
//   - Everything else is free: no record, a record whose lease ended before the
//     execution started, an abandoned one for a Rerun. If a record is free, the
//     claim is Exhausted when the budget is used up, and Claimed otherwise.
func (c Claim) StatusFor(found Record, highest int64) ClaimStatus {
	switch {
	case c.replaces(found):
		if c.Budget.isUsedUp(highest) {
			return Exhausted
		}
		return Claimed
	case found.State != NoRecord && found.Fingerprint != c.Fingerprint:
		return Conflicting
	case found.State.IsFinished():
		return Finished
	case found.State == InProgress && found.Owner == c.Owner:
		return Claimed
	case found.State == InProgress && found.LeaseLeft > 0:
		return Running
	case found.IsAbandoned() && !c.Rerun:
		return Abandoned
	case c.Budget.isUsedUp(highest):
		return Exhausted
	default:
		return Claimed
	}
}

func (c Claim) replaces(found Record) bool {
	return !c.Replaces.IsZero() && found.Owner == c.Replaces && (found.State.IsFinished() || found.State == Unknown)
}

// Spends reports whether a claim that takes the found record may also spend its
// nonce although spender has already spent it. That is allowed if the spender
// owns the claim, or is the former owner of a record that was never started:
// nothing ran for that nonce, so the claim takes it over with the record. The
// nonce's TTL does not change.
func (c Claim) Spends(found Record, spender Owner) bool {
	neverStarted := found.State == InProgress && !found.Started
	return spender == c.Owner || neverStarted && spender == found.Owner
}

// Validate returns an error that wraps [ErrInvalid] if the claim breaks the
// rules of its fields. Every store refuses such a claim and changes nothing.
func (c Claim) Validate() error {
	switch {
	case c.Key.IsZero():
		return fmt.Errorf("%w: claim: the key is zero", ErrInvalid)
	case c.Owner.IsZero():
		return fmt.Errorf("%w: claim: the owner is zero", ErrInvalid)
	case c.Lease <= 0:
		return fmt.Errorf("%w: claim: the lease is not positive", ErrInvalid)
	case c.Retention < c.Lease:
		return fmt.Errorf("%w: claim: the retention is shorter than the lease", ErrInvalid)
	case c.Nonce != Nonce{} && c.Nonce.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the nonce is of another partition than the key", ErrInvalid)
	case c.Budget != Budget{} && c.Budget.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the budget is of another partition than the key", ErrInvalid)
	}
	if (c.Nonce != Nonce{}) {
		if err := c.Nonce.Validate(); err != nil {
			return err
		}
	}
	if (c.Budget != Budget{}) {
		return c.Budget.validate()
	}
	return nil
}

// A ClaimResult is the answer to a [Claim].
type ClaimResult struct {
	// Status says whether the claim took the record, and if not, why.
	Status ClaimStatus
	// State is Completed or Failed if Status is Finished, else NoRecord.
	State RecordState
	// Result is the recorded result if Status is Finished, or nil if none was
	// kept.
	Result []byte
	// LeaseLeft is what remains of the other owner's lease if Status is
	// Running.
	LeaseLeft time.Duration
}

// A ClaimStatus is the result of a [Claim]. A store returns the zero value only
// with an error. The numbers never change, so a store's script may return them.
type ClaimStatus uint8

const (
	// Claimed means that the record now belongs to the claim's owner: no other
	// owner executes the call until the lease ends.
	Claimed ClaimStatus = 1 + iota
	// Running means that another owner holds the record for at least
	// [ClaimResult.LeaseLeft].
	Running
	// Finished means that an outcome is recorded; see [ClaimResult.State] and
	// [ClaimResult.Result].
	Finished
	// Abandoned means that an earlier execution may or may not have had its
	// effect.
	Abandoned
	// Conflicting means that the record was claimed with a different
	// fingerprint. Nothing of the record is disclosed.
	Conflicting
	// NonceSpent means that the record could have been claimed, but another
	// owner had spent the nonce.
	NonceSpent
	// Exhausted means that the record could have been claimed, but the budget
	// was used up. No nonce was spent.
	Exhausted
)

var claimStatuses = enum.Of[ClaimStatus]("store", "claim status",
	"", "claimed", "running", "finished", "abandoned", "conflicting", "nonce spent", "exhausted")

// String returns the status in lower case, "undeclared" for the zero value, and
// text such as "claim status(42)" for an undefined number.
func (s ClaimStatus) String() string { return claimStatuses.String(s) }

// GoString returns the type and text of s, for test failures.
func (s ClaimStatus) GoString() string { return claimStatuses.GoString(s) }

// ClaimResult returns the answer to a claim that found this record and got this
// status. It discloses only what the status allows.
func (r Record) ClaimResult(status ClaimStatus) ClaimResult {
	switch status {
	case Finished:
		return ClaimResult{Status: status, State: r.State, Result: r.Result}
	case Running:
		return ClaimResult{Status: status, LeaseLeft: r.LeaseLeft}
	default:
		return ClaimResult{Status: status}
	}
}
