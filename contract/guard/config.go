package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/internal/immediate"
)

// engineConfig returns the settings of the engine.
func (g *Guard) engineConfig(c config) engine.Config {
	c.records.Observe = g.stored()
	return engine.Config{
		Callers: engine.Callers{Principal: c.principal, Immediate: immediate.Is(c.principal), Authorize: g.authorize()},
		Limits: engine.Limits{
			Retries: engine.RetryBudget{Failures: c.retries.failures, Window: c.retries.window},
			Limiter: c.limiter,
			Rate:    engine.CallRate{Calls: c.rate.calls, Per: c.rate.per},
		},
		Audit:     engine.Audit{Sink: c.sink, AuditFrom: c.audit.requiredFrom, AuditLoss: c.audit.loss, Audited: g.audited()},
		People:    g.people.forEngine(),
		Records:   c.records,
		Logger:    c.logger,
		Drain:     c.drain,
		DryRunTTL: c.dryRunTTL,
		FailOpen:  c.failOpen,
		Observe:   g.observe,
		Label:     g.labelOf(),
	}
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

// forEngine returns how people are asked.
func (p *peopleConfig) forEngine() engine.People {
	c := engine.People{
		ApproverFrom: p.approverFrom, Decides: p.deciders, Page: p.stepUpPage,
		QuestionTimeout: p.questionTimeout, QuestionTTL: p.questionTTL, DeclineMemory: p.declineMemory,
	}
	if p.approver != nil {
		c.Pending = p.approver.Pending
	}
	return c
}
