package guard

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/risk"
)

// An Observer sees the calls of a guard, for traces and metrics. Package otel
// has one for OpenTelemetry. An observer decides nothing: calls have the same
// results with and without it.
//
// Its methods are called concurrently, on the goroutines of calls, and must
// neither block nor end the goroutine. A panic is contained and logged.
// [WithObserver] sets the observer.
type Observer interface {
	// Attach is called once, by [New], with the guard. [Guard.Stats] can be
	// called from then on. New returns the error. [Guard.Close] calls detach,
	// which may be nil, once the last call has ended.
	Attach(g *Guard) (detach func(), err error)
	// Begin is called when a call arrives, before anything is checked. It
	// returns the context of the call, which the handler and the store get too,
	// and a function that is called once, when the call is answered. A nil
	// context means ctx. A nil function means that nothing is called.
	Begin(ctx context.Context, c CallInfo) (context.Context, func())
	// Audited is called with each event for the audit log, when it is durable
	// or about to be queued. The context is that of the call, or that of the
	// page on which a person decides.
	Audited(ctx context.Context, e audit.Event)
	// Stored is called after each operation of the store.
	Stored(ctx context.Context, o StoreOperation)
}

// A CallInfo describes a call when it arrives. The zero value is a call of a
// tool that does not exist. For what is known about the request, pass the
// context to adapter.TransportFrom.
type CallInfo struct {
	// Tool is the name of the tool, even if the call used an alias. It is empty
	// if the name is not registered, because the caller may have made it up.
	Tool string
	// Risk, Effect, Version and Digest are those of the tool's contract. A
	// resolution can lower the risk and the effect of a single call; the audit
	// events have the values that apply.
	Risk    risk.Level
	Effect  risk.Effect
	Version string
	Digest  string
}

// A StoreOperation is one operation of the store.
type StoreOperation struct {
	// Name is the method of [store.Store] in lower case, such as "claim".
	Name string
	// Start is when it began, and Duration how long it took.
	Start    time.Time
	Duration time.Duration
	// Local means that the store is in the memory of this process.
	Local bool
	// Outage means that the store did not answer in time, or that it returned
	// an error that is not one of package store.
	Outage bool
}

// Stats are a guard's gauges and counters at one moment.
type Stats struct {
	// Handlers is the number of running handlers.
	Handlers int
	// Questions is the number of questions that calls are waiting on. Questions
	// that a later call answers are not counted.
	Questions int
	// AuditQueue is the number of events waiting for the audit sink. AuditLost
	// is the number of events lost because the sink failed, hung or was too
	// slow, or because the guard was closed.
	AuditQueue int
	AuditLost  uint64
}

// Stats returns what the guard is doing at this moment. It is safe for
// concurrent use.
func (g *Guard) Stats() Stats {
	return Stats{
		Handlers: g.engine.Handlers(), Questions: g.engine.Questions(),
		AuditQueue: g.engine.AuditQueue(), AuditLost: uint64(g.engine.AuditLost()),
	}
}

// WithObserver sets the observer of calls, for traces and metrics. Default:
// none. Nil is an error.
func WithObserver(o Observer) Option {
	return optionFunc(func(c *config) error {
		if o == nil {
			return errors.New("guard: WithObserver: the observer is nil; leave the option out")
		}
		c.observer = o
		return nil
	})
}

func (g *Guard) attachObserver() error {
	if g.observer == nil {
		return nil
	}
	detach, err := g.observer.Attach(g)
	once := sync.OnceFunc(orNothing(detach))
	g.detach = func(ctx context.Context) { g.observing(ctx, once) }
	return err
}

// observe begins a call. The context and the function are never nil.
func (g *Guard) observe(ctx context.Context, t *facts.ProtectedTool) (context.Context, func()) {
	if g.observer == nil {
		return ctx, func() {}
	}
	var info CallInfo
	if t != nil {
		info = CallInfo{t.Doc.Name, t.Doc.Risk, t.Doc.Effect, t.Doc.Version, t.Digest()}
	}
	begun, ended := ctx, func() {}
	g.observing(ctx, func() {
		if next, end := g.observer.Begin(ctx, info); next != nil {
			begun = next
			ended = orNothing(end)
		} else {
			ended = orNothing(end)
		}
	})
	return begun, func() { g.observing(begun, ended) }
}

func orNothing(f func()) func() {
	if f == nil {
		return func() {}
	}
	return f
}

// observing calls a function of the observer and contains a panic.
func (g *Guard) observing(ctx context.Context, f func()) {
	var err error
	defer func() { g.lines.ReportPanic(ctx, err) }()
	defer contain.Recover(&err)
	f()
}

// audited returns the function that the recorder calls with each event, or nil
// without an observer.
func (g *Guard) audited() func(context.Context, audit.Event) {
	if g.observer == nil {
		return nil
	}
	return func(ctx context.Context, e audit.Event) {
		g.observing(ctx, func() { g.observer.Audited(ctx, e) })
	}
}

// observeStore returns the function that the ledger calls after each operation,
// or nil without an observer.
func (g *Guard) observeStore() func(context.Context, ledger.Operation) {
	if g.observer == nil {
		return nil
	}
	return func(ctx context.Context, o ledger.Operation) {
		g.observing(ctx, func() { g.observer.Stored(ctx, StoreOperation(o)) })
	}
}
