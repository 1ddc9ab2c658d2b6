package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/store"
)

// A Guard enforces contracts: every call of a tool that it protects goes
// through its pipeline. Make one with [New], give it tools with
// [Guard.Protect], and close it when the server ends. A Guard is safe for
// concurrent use.
type Guard struct {
	settings

	engine *engine.Engine
	ledger *ledger.Ledger
	lines  *operatorlog.Log      // for people who run the server
	detach func(context.Context) // ends the observer
}

// New makes a guard. Without options every caller is anonymous, and audit
// events go to the default slog logger.
func New(opts ...Option) (*Guard, error) { return newGuard(engine.Stages(), opts) }

// IdentifiesCallers reports whether the guard was made with [WithPrincipal].
// Without it, every caller is anonymous. Servers use it to refuse to listen on
// an address that other machines can reach.
func (g *Guard) IdentifiesCallers() bool { return g.principal != nil }

// Drain returns how long [Guard.Close] waits for running handlers, as
// [WithTimes] sets it.
func (g *Guard) Drain() time.Duration { return g.times.Drain }

// An AuditLossError is returned by [Guard.Close] if audit events were lost,
// because the sink failed, hung or was too slow.
type AuditLossError struct {
	// Lost is the number of lost events since the guard was made.
	Lost int
}

// Error returns the number of lost events.
func (e *AuditLossError) Error() string {
	return fmt.Sprintf("guard: audit events lost: %d; the logger of WithLogger has the reason", e.Lost)
}

// Close refuses new calls, waits for running handlers, at most as long as the
// drain time of [Times] and ctx allow, and then for the audit queue until ctx
// ends. It cancels the contexts of the handlers that it gives up on, and writes
// their calls to the audit log with the outcome unknown. Their callers get
// outcome_unknown, unless the handler still blocks the caller's goroutine.
// Handlers that end within a second after that are not left behind: the audit
// log has how they ended. The error names the handlers and events left behind.
// If events were ever lost, it is, or wraps, an [*AuditLossError]. Closing a
// guard twice is not an error.
func (g *Guard) Close(ctx context.Context) error {
	err := g.engine.Close(ctx, func() { g.detach(ctx) })
	if lost := g.engine.AuditLost(); lost > 0 {
		err = errors.Join(err, &AuditLossError{lost})
	}
	return err
}

// ResolveUnknown records an operator's finding about a managed call with an
// unknown outcome. The lookup key is in the call's audit events. After
// [store.Happened], retries of the call answer already_done. After
// [store.DidNotHappen], the next retry runs.
//
// The finding is written durably to the audit log before it takes effect, under
// the principal of ctx, which must be authenticated. The program that calls
// ResolveUnknown decides which principals may do so. The error wraps
// [store.ErrNotFound] if the record has expired or never was, and
// [store.ErrNotUnknown] if the outcome is known or the call is still running.
func (g *Guard) ResolveUnknown(ctx context.Context, lookupKey string, r store.Settlement) error {
	return g.engine.ResolveUnknown(ctx, lookupKey, r)
}
