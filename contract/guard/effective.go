package guard

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

// Effective returns the contract as it would hold for a call with these
// arguments, for callers that want to know before they call: with the effect,
// the risk, the confirmation and the permissions that Resolve gives it, and with
// a confirmation "when" decided. Clauses that are only watched are in it as they
// are declared, and the [Authorizer] is not asked. Nothing runs, nothing is charged
// and nothing is written to the audit log.
//
// The error is [ErrUnknownTool] where the caller of ctx may not know of the
// tool, an [*ArgumentsError] where the arguments are not valid, and a
// [*contract.ResolutionError] where the tool resolves to what is wilder than it
// declares: the call would be refused.
func (g *Guard) Effective(ctx context.Context, tool *contract.Tool, arguments json.RawMessage) (contract.Document, error) {
	var none contract.Document
	if tool == nil {
		return none, ErrUnknownTool
	}
	p, err := g.findPrincipal(ctx)
	if err != nil {
		p = Principal{}
	}
	doc, t := tool.Document(), tool.Bound(bound.NewKey())
	if doc.Risk == risk.Forbidden && !p.isPerson() || !g.isShown(&doc, p) {
		return none, ErrUnknownTool
	}
	args, broken := t.Decode(arguments)
	if len(broken) > 0 {
		return none, &ArgumentsError{Violations: violations(broken)}
	}
	effective := &doc
	if t.Resolve != nil {
		if effective, _, err = g.resolved(ctx, &doc, t.Resolve, args.Canonical); err != nil {
			return none, err
		}
	}
	if effective.Confirmation == contract.ConfirmationWhen {
		effective.Confirmation = contract.ConfirmationNever
		if g.mustAsk(ctx, t, args.Canonical) {
			effective.Confirmation = contract.ConfirmationAlways
		}
		effective.Autonomous = effective.Confirmation == contract.ConfirmationNever && effective.Risk != risk.Forbidden
	}
	return *effective, nil
}

// An ArgumentsError says which clauses of the input schema some arguments break.
type ArgumentsError struct {
	// Violations lists all of them. None contains a value.
	Violations []contract.Violation
}

// Error tells nothing of the arguments.
func (e *ArgumentsError) Error() string { return "guard: the arguments do not fit the input schema" }
