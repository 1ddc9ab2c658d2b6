package store

import (
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Record is what a [Store] knows about the calls with one key. The zero
// Record means that there is none. The store's clock measures its times.
type Record struct {
	// State is how far the execution has come, as last written.
	State RecordState
	// Owner is the owner that claimed the record. It is zero once an operator
	// has resolved the record.
	Owner Owner
	// Started is true if the execution may have begun.
	Started bool
	// Fingerprint is the digest of the arguments of the call that claimed the
	// record.
	Fingerprint Digest
	// Result is the result of the completion. It is nil if none was kept, or if
	// an operator resolved the record.
	Result []byte
	// LeaseLeft is how long the owner of a record in progress still counts as
	// alive. Zero or less means that the lease ended that long ago, by which
	// a guard measures the quiet time of a contract. It is zero in other states.
	LeaseLeft time.Duration
	// ExpiresIn is how long the record will still exist. It is positive for
	// every existing record.
	ExpiresIn time.Duration
}

// IsAbandoned reports whether the outcome of the execution is unknown: its
// state is Unknown, or it started and its lease has ended. Its owner may still
// complete it late.
func (r Record) IsAbandoned() bool {
	return r.State == Unknown || r.State == InProgress && r.LeaseLeft <= 0 && r.Started
}

// A RecordState is how far the execution behind a [Record] has come. The zero
// value is [NoRecord]. The numbers never change, so stores may keep them.
type RecordState uint8

const (
	// NoRecord is the state of the zero Record, which means that there is none.
	NoRecord RecordState = iota
	// InProgress means that an owner holds the record. Once the lease of a
	// started execution ends, its outcome is unknown; see [Record.IsAbandoned].
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
// "undeclared" for the zero value, and text such as "state(42)" for an
// undefined number.
func (s RecordState) String() string { return states.String(s) }

// GoString returns the type and text of s, for test failures.
func (s RecordState) GoString() string { return states.GoString(s) }
