package storetest

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A Harness is a store, and the ways to move its clock and its storage. Each rule asks for one; it may be
// the same store every time, for each rule uses keys that nobody else has, but one rule at a time, for each
// moves the clock. Only a rule that uses [Harness.Full] needs a store of its own.
type Harness struct {
	// Store is the store to check.
	Store store.Store
	// Advance moves the clock of the store by d, and by less than half an hour more: it moves an injected
	// clock, or waits. It is required, and is given hours.
	Advance func(d time.Duration)
	// Exact says that Advance moves the clock by exactly d, and that nothing else does. The ends of leases
	// and retentions are then checked to the millisecond.
	Exact bool
	// Hang makes every operation on the storage hang until release is called, as a dead network does. Nil
	// where the test cannot. release is called once.
	Hang func() (release func())
	// Full fills the storage with records or nonces of its own, until there is no room for another. Before
	// that the store has room for ten. Nil where the store is not bounded, or the test cannot.
	Full func(ctx context.Context) error
}
