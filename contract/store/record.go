package store

import "time"

// A Record is the state of the calls with one key in a [Store]. The zero
// Record means that there is none. Its times are measured by the store's clock.
type Record struct {
	// State is how far the execution has come, as it was last written.
	State State
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
