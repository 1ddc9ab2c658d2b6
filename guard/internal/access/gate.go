// Package access decides who calls, which tools a caller sees, and whether a
// call is let in: by its principal, its permissions, its rate, the authors'
// functions that look at its arguments, and how often identical calls have
// failed.
package access

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// A Config has the functions and limits that decide about callers. Its
// functions are those of authors, and the gate contains them.
type Config struct {
	// Principal finds the principal of a call. Nil: every caller is anonymous.
	Principal func(context.Context) (contract.Principal, error)
	// Immediate means that Principal answers at once after its first success.
	Immediate bool
	// OnlyLocal means that Principal knows local callers only.
	OnlyLocal bool
	// Authorize decides after the permissions. Nil: permissions alone decide.
	Authorize func(ctx context.Context, by contract.Principal, doc *contract.Document, arguments []byte, dryRun bool) error
	Limiter   store.Limiter
	Rate      CallRate // of tools whose contract declares none
}

// A CallRate is a number of calls per time.
type CallRate struct {
	Calls int
	Per   time.Duration
}

// A Gate lets calls in. It is safe for concurrent use. [NewGate] makes one.
type Gate struct {
	Config

	ledger     *ledger.Ledger
	lines      *operatorlog.Log
	authors    contain.Slots // for functions of authors
	limiting   contain.Slots // for the limiter, so that a slow one does not block the other functions
	identified atomic.Bool   // Principal is immediate and has succeeded
}

// NewGate returns the gate of a guard.
func NewGate(c Config, l *ledger.Ledger, lines *operatorlog.Log, authors, limiting contain.Slots) *Gate {
	return &Gate{Config: c, ledger: l, lines: lines, authors: authors, limiting: limiting}
}
