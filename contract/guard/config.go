package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/engine"
)

// engineConfig returns the settings of the engine.
func (g *Guard) engineConfig(c config) engine.Config {
	c.records.Observe = g.stored()
	return engine.Config{
		Callers: g.callers(),
		Limits: engine.Limits{
			Retries: engine.RetryBudget{Failures: c.retries.failures, Window: c.retries.window},
			Limiter: c.limiter,
			Rate:    engine.CallRate{Calls: c.rate.calls, Per: c.rate.per},
		},
		Audit:     engine.Audit{Sink: c.sink, AuditFrom: c.audit.RefuseFrom, AuditLoss: c.audit.Report, Audited: g.audited()},
		People:    g.askingPeople(),
		Records:   c.records,
		Logger:    c.logger,
		Drain:     c.times.Drain,
		DryRunTTL: c.times.DryRunTTL,
		FailOpen:  c.failOpen,
		Observe:   g.observe,
		Label:     g.labelOf(),
	}
}

// callers returns what finds and judges callers.
func (g *Guard) callers() engine.Callers {
	c := engine.Callers{Authorize: g.authorize()}
	if g.principal != nil {
		c.Principal = g.principal.Principal
		_, c.Immediate = g.principal.(immediateSource)
	}
	return c
}

// authorize returns the function that calls the Authorizer, nil if there is
// none.
func (g *Guard) authorize() func(context.Context, Principal, *contract.Document, []byte, bool) error {
	if g.authorizer == nil {
		return nil
	}
	return func(ctx context.Context, by Principal, doc *contract.Document, arguments []byte, dryRun bool) error {
		return g.authorizer(ctx, Action{Principal: by, Contract: doc, Arguments: arguments, DryRun: dryRun})
	}
}

// askingPeople returns how people are asked.
func (g *Guard) askingPeople() engine.People {
	p, t := g.people, g.times
	c := engine.People{
		ApproverFrom: p.ApproverFrom, Decides: g.deciders, Page: p.StepUpPage,
		QuestionTimeout: t.QuestionTimeout, QuestionTTL: t.QuestionTTL, DeclineMemory: t.DeclineMemory,
	}
	if p.Approver != nil {
		c.Pending = p.Approver.Pending
	}
	return c
}
