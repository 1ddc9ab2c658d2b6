package store

import (
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Record is the state of the calls with one key in a [Store]. The zero
// Record means that there is none. Its times are measured by the store's clock.
type Record struct {
	// State is how far the execution has come, as it was last written.
	State RecordState
	// Owner is the owner that claimed the record. It is zero if an operator
	// resolved the record.
	Owner Owner
	// Started is true if the execution may have begun.
	Started bool
	// Fingerprint is the digest of the arguments of the call that claimed the
	// record.
	Fingerprint Digest
	// Result is the result of the completion. It is nil if none was kept, or if
	// an operator resolved the record.
	Result []byte
	// LeaseLeft is how long the owner of a record in progress is still believed
	// to be alive. Zero or less means that the lease is over.
	LeaseLeft time.Duration
	// ExpiresIn is how long the record still exists. It is positive for every
	// record that exists.
	ExpiresIn time.Duration
}

// IsAbandoned reports whether the outcome of the execution is unknown: the
// state is Unknown, or the lease of a started execution is over. Its owner may
// still complete it late.
func (r Record) IsAbandoned() bool {
	return r.State == Unknown || r.State == InProgress && r.LeaseLeft <= 0 && r.Started
}

// A RecordState is how far the execution behind a [Record] has come. The zero
// value is [NoRecord]. Stores may keep its number, which does not change.
type RecordState uint8

const (
	// NoRecord is the state of the zero Record, which means that there is none.
	NoRecord RecordState = iota
	// InProgress means that an owner holds the record. When the lease of a
	// started execution is over its outcome is unknown; see
	// [Record.IsAbandoned].
	InProgress
	// Completed means that the execution had its effect.
	Completed
	// Failed means that the execution failed without an effect. The failure is
	// final for the same arguments. A claim with other arguments can replace
	// the record; see [Claim.Replaces].
	Failed
	// Unknown means that the execution may or may not have had its effect.
	Unknown
)

var states = enum.Of[RecordState]("store", "state", "", "in_progress", "completed", "failed", "unknown")

// IsFinished reports whether s is Completed or Failed, the states with a
// recorded outcome.
func (s RecordState) IsFinished() bool { return s == Completed || s == Failed }

// String returns "in_progress", "completed", "failed" or "unknown",
// "undeclared" for the zero value, and a form such as "state(42)" for an
// undefined number.
func (s RecordState) String() string { return states.String(s) }

// GoString returns the type and the text of s, for failures of tests.
func (s RecordState) GoString() string { return states.GoString(s) }
