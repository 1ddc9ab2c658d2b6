package storetest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A Harness is a store with hooks that move its clock and disturb its storage.
// Each rule gets a harness. It may hold the same store every time, because each
// rule uses keys of its own, but only one rule may use a store at a time,
// because each moves the clock. Only the rule that uses [Harness.Full] needs a
// store of its own.
type Harness struct {
	// Store is the store to check. It is required.
	Store store.Store
	// Advance moves the clock of the store by d and by less than half an hour
	// more. It moves an injected clock, or waits. It is required, and called
	// with hours.
	Advance func(d time.Duration)
	// Exact means that Advance moves the clock by exactly d and that nothing
	// else moves it. The ends of leases, retentions, TTLs and windows are then
	// checked to the millisecond.
	Exact bool
	// Hang makes every operation on the storage hang until release is called,
	// as a dead network does. It is nil if the test cannot do that. The suite
	// calls release once.
	Hang func() (release func())
	// Full fills the storage with records or nonces of its own until there is
	// no room for another. Before that the store has room for twenty. It is nil
	// if the store is not bounded or the test cannot do that.
	Full func(ctx context.Context) error
	// MaxBytes is the bound of the bytes that the store keeps for one
	// partition. Other rules need room too, and the rule for it fills the room,
	// so it is between 256 KiB and a few MiB. It is 0 if the store has no such
	// bound.
	MaxBytes int64

	// test is the name of the test, by which failures are stored and found.
	test string
}

// near reports whether a duration that the store measured is the expected one.
func (h Harness) near(got, want time.Duration) bool {
	switch {
	case want <= 0:
		return got <= 0 // how long it has been over does not matter
	case h.Exact:
		return got == want
	default:
		return got <= want && got > want-slack
	}
}

// rough returns a duration that the store measured, in a form that does not
// vary from run to run.
func (h Harness) rough(d time.Duration) time.Duration {
	if h.Exact {
		return d
	}
	return d.Round(slack)
}

// Durations of the checks. Every end lies at least half an hour before or after
// the step that depends on it, so that no machine is too slow. All durations
// are whole milliseconds.
const (
	lease     = time.Hour
	lapse     = 2 * time.Hour // ends a lease, but no retention
	retention = 10 * time.Hour
	age       = 20 * time.Hour // ends a retention
	slack     = 30 * time.Minute
	tick      = time.Millisecond
)
