package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
)

func newGuard(pipeline []engine.Stage, opts []Option) (*Guard, error) {
	c, err := newConfig(opts)
	g := &Guard{settings: c.settings, lines: operatorlog.New(c.logger), detach: func(context.Context) {}}
	c.records.Observe = g.observeStore()
	c.records.Panicked = g.lines.LogPanic
	c.records.Foreign = g.lines.WarnForeignState
	c.records.Patient = c.failOpen
	var opened error
	g.ledger, opened = ledger.Open(c.records)
	if err := errors.Join(err, opened); err != nil {
		return nil, err
	}
	g.engine = engine.New(g.engineConfig(c), g.ledger, g.lines, pipeline)
	if c.records.Keys != nil && c.records.Store == nil {
		g.lines.Logger().Warn("toolcontract: the sealing keys outlive the store, which is in the memory of this process: " +
			"after a restart every question, approval, preview and outcome from before is forgotten; pass guard.WithStore to guard.New")
	}
	if err := errors.Join(g.attachApprover(), g.attachObserver()); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Guard) engineConfig(c config) engine.Config {
	return engine.Config{
		Audit:        engine.Audit{Sink: c.sink, AuditFrom: c.audit.RefuseFrom, AuditLoss: c.audit.Report, Audited: g.audited()},
		Access:       g.access(),
		Retries:      c.retries,
		People:       g.consentSettings(),
		NamesServer:  c.records.Keys != nil && c.records.Namespace == "",
		Drain:        c.times.Drain,
		DryRunTTL:    c.times.DryRunTTL,
		FailOpen:     c.failOpen,
		SessionBound: c.session,
		Observe:      g.observe,
		Label:        g.labelOf(),
	}
}

// access returns the configuration that identifies callers and decides about
// them.
func (g *Guard) access() access.Config {
	c := access.Config{Authorize: g.authorize(), Limiter: g.limiter, Rate: g.rate}
	if g.principal != nil {
		c.Principal = g.principal.Principal
		_, c.Immediate = g.principal.(immediateSource)
		_, c.OnlyLocal = g.principal.(localSource)
	}
	return c
}

// authorize returns the function that calls the authorizer, or nil if there is
// none.
func (g *Guard) authorize() func(context.Context, Principal, *contract.Document, []byte, bool) error {
	if g.authorizer == nil {
		return nil
	}
	return func(ctx context.Context, by Principal, doc *contract.Document, arguments []byte, dryRun bool) error {
		return g.authorizer(ctx, Action{Principal: by, Contract: doc, Arguments: arguments, DryRun: dryRun})
	}
}

func (g *Guard) consentSettings() consent.Settings {
	p, t := g.people, g.times
	c := consent.Settings{
		ApproverFrom: p.ApproverFrom, Decides: p.decides(), Page: p.StepUpPage,
		QuestionTimeout: t.QuestionTimeout, QuestionTTL: t.QuestionTTL, DeclineMemory: t.DeclineMemory,
	}
	if p.Approver != nil {
		c.Pending = p.Approver.Pending
	}
	return c
}

func (g *Guard) attachApprover() error {
	switch p := g.people; {
	case p.Approver != nil:
		return p.Approver.Attach(g.People())
	case p.ApproverFrom != 0:
		return errors.New("guard: WithPeople: ApproverFrom is set and there is no approver; set Approver")
	case p.Deciders != nil:
		return errors.New("guard: WithPeople: Deciders is set and there is no approver; set Approver")
	}
	return nil
}
