package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

func resolves(_ *Guard, t *protectedTool) bool { return t.bound.Facts().Has.Resolve }

// resolve determines the clauses for these arguments, which may be weaker than
// the declared contract. If the resolution is stricter, nothing runs.
func resolve(u understood) (understood, *answer) {
	doc, failed, err := u.guard.resolved(u.ctx, &u.tool.doc, u.tool.bound, u.args.Canonical)
	u.log.blame(cmp.Or(err, failed))
	if err != nil {
		return u, refuse(refusal.New(contract.CodeInternalError, ""))
	}
	u.doc = doc
	u.missing = u.principal.Missing(doc.Permissions)
	if u.round != nil && u.round.Terms != u.terms() {
		return u, &answer{err: ErrRejectedState} // the handler asked under other clauses
	}
	return u, nil
}

// resolved calls the tool author's function, contained. If the function fails,
// the first error is its error, and the declared contract applies.
func (g *Guard) resolved(
	ctx context.Context, declared *contract.Document, t bound.Tool, canonical []byte,
) (doc *contract.Document, failed, err error) {
	said, failed := contained(ctx, g, func(context.Context) (any, error) { return t.Resolve(bytes.Clone(canonical)) })
	if failed != nil {
		return declared, fmt.Errorf("guard: Resolve: %w", failed), nil
	}
	r, _ := said.(contract.Resolution)
	now, err := declared.Resolved(r)
	if err != nil {
		return nil, nil, err
	}
	return &now, nil, nil
}

// mustAsk calls the tool author's function, contained. If the function fails,
// the person is asked.
func (g *Guard) mustAsk(ctx context.Context, t bound.Tool, canonical []byte) bool {
	must, err := contained(ctx, g, func(context.Context) (bool, error) { return t.MustAsk(canonical), nil })
	return err != nil || must
}

// written calls a function of the tool author that writes a text about a call,
// contained.
func (g *Guard) written(ctx context.Context, write func([]byte) (string, error), canonical []byte) (string, error) {
	return contained(ctx, g, func(context.Context) (string, error) { return write(canonical) })
}

// Effective returns the contract that would apply to a call with these
// arguments, so that a caller can read it before the call. It has the effect,
// the risk, the confirmation and the permissions of the resolution, and a
// confirmation "when" is decided. Clauses that are only audited stay as
// declared, and the [Authorizer] is not called. Nothing runs, nothing is
// charged, and nothing is written to the audit log.
//
// The error is [ErrUnknownTool] if the caller of ctx may not see the tool,
// and an [*ArgumentsError] if the arguments are invalid. It is a
// [*contract.ResolutionError] if the tool resolves to a stricter contract than
// it declares, because the call would be refused.
func (g *Guard) Effective(ctx context.Context, tool *contract.Tool, arguments json.RawMessage) (contract.Document, error) {
	var none contract.Document
	if tool == nil {
		return none, ErrUnknownTool
	}
	p, err := g.findPrincipal(ctx, logged{})
	if err != nil {
		p = Principal{}
	}
	doc, t := tool.Document(), bound.Of(tool)
	if !g.isShown(&doc, p) {
		return none, ErrUnknownTool
	}
	args, broken := t.Decode(arguments)
	if len(broken) > 0 {
		return none, &ArgumentsError{Violations: violations(broken)}
	}
	effective := &doc
	if t.Facts().Has.Resolve {
		if effective, _, err = g.resolved(ctx, &doc, t, args.Canonical); err != nil {
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

// An ArgumentsError lists the clauses of the input schema that some arguments
// break.
type ArgumentsError struct {
	// Violations lists all of them. None contains a value.
	Violations []contract.Violation
}

// Error does not describe the arguments.
func (e *ArgumentsError) Error() string { return "guard: the arguments do not fit the input schema" }
