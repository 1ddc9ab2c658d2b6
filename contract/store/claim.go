package store

import (
	"fmt"
	"time"
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
	// Replaces lets the claim take over a record that is Failed or Unknown and
	// has this owner. The fingerprint of the claim may be another one, because
	// a failed call does not hold its key. With the zero Owner the claim
	// replaces no record.
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
		if c.Budget.IsUsedUp(highest) {
			return Exhausted
		}
		return Claimed
	case !found.State.IsZero() && found.Fingerprint != c.Fingerprint:
		return Conflicting
	case found.State.IsFinished():
		return Finished
	case found.State == InProgress && found.Owner == c.Owner:
		return Claimed
	case found.State == InProgress && found.LeaseLeft > 0:
		return Running
	case found.IsAbandoned() && !c.Rerun:
		return Abandoned
	case c.Budget.IsUsedUp(highest):
		return Exhausted
	default:
		return Claimed
	}
}

func (c Claim) replaces(found Record) bool {
	return !c.Replaces.IsZero() && found.Owner == c.Replaces && (found.State == Failed || found.State == Unknown)
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
	case !c.Nonce.IsZero() && c.Nonce.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the nonce is of another partition than the key", ErrInvalid)
	case !c.Budget.IsZero() && c.Budget.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the budget is of another partition than the key", ErrInvalid)
	}
	if !c.Nonce.IsZero() {
		if err := c.Nonce.Validate(); err != nil {
			return err
		}
	}
	if !c.Budget.IsZero() {
		return c.Budget.Validate()
	}
	return nil
}
