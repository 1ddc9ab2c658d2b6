package engine

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// Effective returns the contract that would apply to a call with these
// arguments. The error is [exchange.ErrUnknownTool] if the caller of ctx may
// not see the tool. Violations are those of the arguments.
func (g *Engine) Effective(
	ctx context.Context, t *facts.ProtectedTool, arguments []byte,
) (contract.Document, []contract.Violation, error) {
	var none contract.Document
	p := g.gate.Viewer(ctx)
	if !t.Audience.Includes(&p) {
		return none, nil, exchange.ErrUnknownTool
	}
	args, broken := t.Impl.Decode(arguments)
	if len(broken) > 0 {
		return none, violations(broken), nil
	}
	effective := &t.Doc
	if t.Resolves {
		var err error
		if effective, _, err = g.gate.Resolve(ctx, t, args.Canonical); err != nil {
			return none, nil, err
		}
	}
	if effective.Confirmation == contract.ConfirmationWhen {
		effective.Confirmation = contract.ConfirmationNever
		if g.gate.MustAsk(ctx, t.Impl, args.Canonical) {
			effective.Confirmation = contract.ConfirmationAlways
		}
		effective.Autonomous = effective.Confirmation == contract.ConfirmationNever && effective.Risk != risk.Forbidden
	}
	if g.sessions != nil && asksAbout(effective) && !t.AuditOnly[facts.ClauseConfirmation] &&
		g.sessions.Reaches(facts.NameOf(p), addsTo(t, effective)) {
		asked := t.Impl.Asking(*effective).(contract.Document) //nolint:forcetypeassert // see [bound.Impl]
		asked.Confirmation = contract.ConfirmationAlways
		return asked, nil, nil
	}
	return *effective, nil, nil
}
