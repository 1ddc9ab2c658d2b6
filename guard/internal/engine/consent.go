package engine

import (
	"cmp"
	"context"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/store"
)

// subject returns the call for package consent.
func (c *call) subject() consent.Subject {
	return consent.Subject{
		View: c.view(), Terms: c.terms(), Audience: c.audience(), Client: c.request.Client,
		Charged: c.charged, Before: c.inSession().Before, Bound: c.mayBeBound(), Pipeline: (*consentPipeline)(c),
	}
}

// consentPipeline implements consent.Pipeline for a call.
type consentPipeline call

var _ consent.Pipeline = (*consentPipeline)(nil)

// MustAsk implements [consent.Pipeline].
func (c *consentPipeline) MustAsk(ctx context.Context) bool {
	switch c.doc.Confirmation {
	case contract.ConfirmationNever, contract.ConfirmationUpstream:
		return (*call)(c).isBound()
	case contract.ConfirmationWhen: // declared, or set because of the session bound
		return (*call)(c).isBound() || c.tool.Impl.Facts().Has.MustAsk && c.engine.gate.MustAsk(ctx, c.tool.Impl, c.args.Canonical)
	default:
		return true
	}
}

// Words implements [consent.Pipeline].
func (c *consentPipeline) Words(ctx context.Context) string {
	t := c.tool.Impl
	if !t.Facts().Has.Question {
		return ""
	}
	words, err := c.engine.gate.Text(ctx, t.Question, c.args.Canonical)
	if err != nil {
		return "" // the question has everything else
	}
	return words
}

// Word implements [consent.Pipeline].
func (c *consentPipeline) Word(ctx context.Context) (string, error) {
	return c.engine.gate.Text(ctx, c.tool.Impl.ConfirmWord, c.args.Canonical)
}

// Preview implements [consent.Pipeline].
func (c *consentPipeline) Preview(ctx context.Context) (map[string]any, *answer.Refusal, error) {
	whole := (*call)(c)
	decided := whole.accessRequest()
	if !c.tool.Impl.Facts().Has.Preview || !c.engine.gate.MayPreview(ctx, &decided) {
		return nil, nil, nil
	}
	previewed := whole.dryRun()
	return c.engine.previewer.Members(ctx, &previewed)
}

// Recorded implements [consent.Pipeline].
func (c *consentPipeline) Recorded(g consent.Grant) *store.ClaimResult {
	e := c.entryWith(g)
	return c.engine.records.Finished(c.ctx, &e)
}

// Event implements [consent.Pipeline].
func (c *consentPipeline) Event(kind audit.Kind, stage string) audit.Event {
	whole := (*call)(c)
	return whole.event(kind, stage, whole.recordKey())
}

// AuditQuestion implements [consent.Pipeline].
func (c *consentPipeline) AuditQuestion(stage string, g consent.Grant) {
	e := c.entryWith(g)
	(*call)(c).auditAsked(stage, e.ID())
}

// AuditDecision implements [consent.Pipeline].
func (c *consentPipeline) AuditDecision(stage string, g consent.Grant, approved bool) {
	record := c.entryWith(g)
	e := (*call)(c).event(audit.Decided, stage, record.ID())
	e.CallID = cmp.Or(g.CallID, e.CallID)
	e.Decision = audit.Deny
	if approved {
		e.Decision = audit.Allow
	}
	c.engine.recorder.Put(c.ctx, e)
}

// entryWith returns the call for its record, with a grant that it does not have
// yet.
func (c *consentPipeline) entryWith(g consent.Grant) records.CallEntry {
	e := (*call)(c).entry()
	e.Grant = g
	return e
}
