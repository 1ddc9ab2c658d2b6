package store

import "time"

// A Record is what a [Store] knows about the calls with one key. The zero Record says that there is
// none. Its times are measured by the store's clock.
type Record struct {
	// State is how far the execution has come, as it was last written.
	State State
	// Owner is who claimed the record. It is zero where an operator resolved it.
	Owner Owner
	// Started says that the execution may have begun.
	Started bool
	// Fingerprint is that of the call that claimed the record.
	Fingerprint Digest
	// Result is what the owner gave to [Store.Complete]. Nil: none was kept.
	Result []byte
	// LeaseLeft is how long an owner in progress is still believed to live. Zero or less: no longer.
	LeaseLeft time.Duration
	// ExpiresIn is how long the record still exists. It is positive for every record there is.
	ExpiresIn time.Duration
}

// IsAbandoned reports whether nobody knows, or will say, how the execution ended: the state is Unknown,
// or the lease of a started execution is over. Its owner may still complete it late.
func (r Record) IsAbandoned() bool {
	return r.State == Unknown || r.State == InProgress && r.LeaseLeft <= 0 && r.Started
}
