// Package dryruns runs what a tool author wants to happen before a call: its
// preview, and the check whether it would fail. It makes, checks and spends the
// token of the preview.
package dryruns

import (
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
)

// A Previewer runs previews. [New] makes one.
type Previewer struct {
	ledger  *ledger.Ledger
	running *running.Runner
	checker results.Checker
	ttl     time.Duration
}

// New returns the previewer of a guard. ttl is how long after a preview the
// call may follow.
func New(l *ledger.Ledger, r *running.Runner, c results.Checker, ttl time.Duration) *Previewer {
	return &Previewer{ledger: l, running: r, checker: c, ttl: ttl}
}

// A DryRun is a call that is previewed.
type DryRun struct {
	facts.View

	Header consent.StateHeader // identifies the call; zero if no token is needed
}
