package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/engine"
)

// A Guard enforces contracts: every call of a tool that it protects goes
// through its pipeline. Make one with [New], give it tools with
// [Guard.Protect], and close it when the server ends. A Guard is safe for
// concurrent use.
type Guard struct {
	settings

	engine *engine.Engine
	detach func() // ends the observer; nil: there is none
}

// New makes a guard. Without options every caller is anonymous, and events go
// to the default slog logger.
func New(opts ...Option) (*Guard, error) {
	c, err := newConfig(opts)
	g := &Guard{settings: c.settings}
	var opened error
	g.engine, opened = engine.New(g.engineConfig(c))
	if err := errors.Join(err, opened); err != nil {
		return nil, err
	}
	if c.records.Keys != nil && g.engine.HasLocalStore() {
		g.engine.Lines().Logger().Warn("toolcontract: the sealing keys outlive the store, which is in the memory of this process: " +
			"after a restart every question, approval, preview and outcome from before is forgotten; pass guard.WithStore to guard.New")
	}
	if err := errors.Join(g.attach(), g.attachObserver()); err != nil {
		return nil, err
	}
	return g, nil
}

// IdentifiesCallers reports whether the guard was made with [WithPrincipal].
// Without it, every caller is anonymous. Servers use it to refuse an address
// that others can reach.
func (g *Guard) IdentifiesCallers() bool { return g.principal != nil }

// Drain returns how long [Guard.Close] waits for running handlers, as
// [WithTimes] sets it.
func (g *Guard) Drain() time.Duration { return g.times.Drain }

// DroppedEvents returns how many audit events were lost, because the sink
// failed, hung or was too slow, or because the guard was closed.
func (g *Guard) DroppedEvents() uint64 { return uint64(g.engine.AuditLost()) }

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
// ends. It ends the contexts of the handlers that it gave up, and writes their
// calls to the audit log with the outcome unknown. Their callers get
// outcome_unknown, unless the handler still blocks the caller's goroutine. The
// error names the handlers and events that were left behind. If events were
// lost at any time, it is, or wraps, an [*AuditLossError]. Closing twice is not
// an error of its own.
func (g *Guard) Close(ctx context.Context) error {
	err := g.engine.Close(ctx, func() { g.detachObserver(ctx) })
	if lost := g.engine.AuditLost(); lost > 0 {
		err = errors.Join(err, &AuditLossError{lost})
	}
	return err
}
