// Package dryruns runs what a tool author wants to happen before a call: its
// preview, and the check whether it would fail. It makes, checks and spends the
// token of the preview.
package dryruns

import (
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/store"
)

// A Previewer runs previews. [New] makes it.
type Previewer struct {
	ledger  *ledger.Ledger
	running *running.Runner
	ttl     time.Duration
}

// New returns the previewer of a guard. ttl is how long after a preview the call
// may follow.
func New(l *ledger.Ledger, r *running.Runner, ttl time.Duration) *Previewer {
	return &Previewer{ledger: l, running: r, ttl: ttl}
}

// A DryRun is a call that is previewed.
type DryRun struct {
	results.Call

	Slots chan struct{} // of maxConcurrent. Nil: no limit
	// Header identifies the call, and Scope is that of its keys. They are zero
	// if no token is needed.
	Header consent.StateHeader
	Scope  store.Scope
}
