package store

import (
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A ClaimResult is the answer to a [Claim].
type ClaimResult struct {
	// Status is whether the claim took the record, and if not, why.
	Status ClaimStatus
	// State is Completed or Failed if Status is Finished, else the zero State.
	State State
	// Result is the recorded result if Status is Finished. It is nil if none
	// was kept.
	Result []byte
	// LeaseLeft is the rest of the other owner's lease if Status is Running.
	LeaseLeft time.Duration
}

// A ClaimStatus is the result of a [Claim]. The zero value is
// [UndeclaredClaimStatus]. Scripts of stores may return its number, which does
// not change.
type ClaimStatus uint8

const (
	// UndeclaredClaimStatus is the zero value. No store returns it without an
	// error.
	UndeclaredClaimStatus ClaimStatus = iota
	// Claimed means that the record belongs to the owner of the claim: no other
	// owner executes the call while the lease lasts.
	Claimed
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

var claimStatuses = enum.Of[ClaimStatus]("store", "claim status", "", "claimed", "running", "finished", "abandoned", "conflicting", "nonce spent", "exhausted")

// String returns the status in lower case, "undeclared" for the zero value, and
// a form such as "claim status(42)" for an undefined number.
func (s ClaimStatus) String() string { return claimStatuses.String(s) }

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
