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
	// Owner identifies the execution. It is safe to repeat a claim with the
	// same owner.
	Owner Owner
	// Fingerprint is the digest of the call's arguments.
	Fingerprint Digest
	// Lease is how long the owner is believed to be alive without a renewal. It
	// is positive.
	Lease time.Duration
	// Retention is how long the record exists from now, unless a renewal or the
	// completion changes it. It is not shorter than Lease.
	Retention time.Duration
	// Start marks the execution as started in the same step; see [Store.Mark].
	Start bool
	// Rerun takes over an abandoned record. The record stays started, because
	// the outcome of the earlier execution is still unknown.
	Rerun bool
	// Replaces lets the claim take over a record that is Completed, Failed or
	// Unknown and has this owner. The fingerprint of the claim may be another
	// one, because a failed call does not hold its key, nor does one that was
	// undone. With the zero Owner the claim replaces no record.
	Replaces Owner
	// Nonce is spent by the owner in the same step, if the record is claimed.
	// The zero Nonce is none.
	Nonce Nonce
	// Budget is checked in the same step if the claim would take the record. A
	// claim that the owner of the record repeats is not checked again. The zero
	// Budget is none.
	Budget Budget
}

// StatusFor returns the status of a claim that finds this record, and this
// highest count of any kind under the key of its budget. The nonce is not
// considered: a store that finds it spent replaces Claimed by [NonceSpent],
// unless [Claim.Spends] allows it.
//
// The rules, in order:
//
//   - A record that the claim replaces can be taken.
//   - A record with another fingerprint is Conflicting, in any state.
//   - A recorded outcome is Finished.
//   - A record in progress is Claimed for its owner. For others it is Running
//     while the lease lasts.
//   - An abandoned record is Abandoned, unless the claim has Rerun.
//   - Everything else can be taken: no record, a record whose lease was over
//     before the start, an abandoned one for a Rerun. The claim is Exhausted if
//     the budget is used up, else Claimed.
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

// Spends reports whether a claim that takes this record may also spend its
// nonce, which the spender had spent before. The spender must be the owner of
// the claim, or the former owner of a record that was never started. Nothing
// ran for that nonce, so the claim takes it over with the record. The TTL of
// the nonce does not change.
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
	// Status is whether the claim took the record, and if not, why.
	Status ClaimStatus
	// State is Completed or Failed if Status is Finished, else NoRecord.
	State RecordState
	// Result is the recorded result if Status is Finished. It is nil if none
	// was kept.
	Result []byte
	// LeaseLeft is the rest of the other owner's lease if Status is Running.
	LeaseLeft time.Duration
}

// A ClaimStatus is the result of a [Claim]. No store returns the zero value
// without an error. Scripts of stores may return its number, which does not
// change.
type ClaimStatus uint8

const (
	// Claimed means that the record belongs to the owner of the claim: no other
	// owner executes the call while the lease lasts.
	Claimed ClaimStatus = 1 + iota
	// Running means that another owner holds the record for at least
	// [ClaimResult.LeaseLeft].
	Running
	// Finished means that an outcome is recorded: [ClaimResult.State] and
	// [ClaimResult.Result].
	Finished
	// Abandoned means that an earlier execution may or may not have had its
	// effect.
	Abandoned
	// Conflicting means that the record was claimed with another fingerprint.
	// No part of the record is disclosed.
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
// a form such as "claim status(42)" for an undefined number.
func (s ClaimStatus) String() string { return claimStatuses.String(s) }

// GoString returns the type and the text of s, for failures of tests.
func (s ClaimStatus) GoString() string { return claimStatuses.GoString(s) }

// ClaimResult returns the answer to a claim with this status that found this
// record. It discloses only what the status allows.
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
