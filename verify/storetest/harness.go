package storetest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A Harness is a store with hooks that move its clock and disturb its storage.
// Each rule gets a harness. All of them may have the same store, because each
// rule uses its own keys, but only one rule may use a store at a time, because
// each moves the clock. Only the rule that uses [Harness.Full] needs a store of
// its own.
type Harness struct {
	// Store is the store to check. It is required.
	Store store.Store
	// Advance moves the store's clock forward by d, and by less than half an
	// hour more. It moves an injected clock, or waits. It is required, and
	// called with durations of hours.
	Advance func(d time.Duration)
	// Exact means that Advance moves the clock by exactly d, and that nothing
	// else moves it. The ends of leases, retentions, TTLs and windows are then
	// checked to the millisecond.
	Exact bool
	// Hang makes every storage operation hang until release is called, like a
	// dead network. The suite calls release once. Nil: the test cannot do that.
	Hang func() (release func())
	// Full fills the storage with records or nonces of its own until there is
	// no room for another. Before that, the store has room for twenty. Nil: the
	// store is not bounded, or the test cannot do that.
	Full func(ctx context.Context) error
	// MaxBytes is how many bytes the store keeps for one partition. Other rules
	// need room too, and this limit's own rule uses it all up, so it must be
	// between 256 KiB and a few MiB. Zero: the store has no such limit.
	MaxBytes int64

	// test is the test's name, by which failures are stored and found.
	test string
}

// near reports whether a duration that the store measured is the expected one.
// One that is over is negative by how long ago it ended.
func (h Harness) near(got, want time.Duration) bool {
	switch {
	case h.Exact:
		return got == want
	default:
		return got <= want && got > want-slack
	}
}

// rough rounds a duration that the store measured to a form that is the same in
// every run.
func (h Harness) rough(d time.Duration) time.Duration {
	if h.Exact {
		return d
	}
	return d.Round(slack)
}

// The durations used by the checks. Every end is at least half an hour before
// or after the step that depends on it, so that no machine is too slow. All
// durations are whole milliseconds.
const (
	lease     = time.Hour
	lapse     = 2 * time.Hour // ends a lease, but no retention
	retention = 10 * time.Hour
	age       = 20 * time.Hour // ends a retention
	slack     = 30 * time.Minute
	tick      = time.Millisecond
)
