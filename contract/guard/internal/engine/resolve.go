package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// resolve determines the clauses for these arguments, which may be weaker than
// the declared contract. If the resolution is stricter, nothing runs.
func resolve(u understood) (understood, *answer.Answer) {
	doc, failed, err := u.engine.resolved(u.ctx, &u.tool.Doc, u.tool.Half, u.args.Canonical)
	u.log.Blame(cmp.Or(err, failed))
	if err != nil {
		return u, answer.Refuse(answer.NewRefusal(contract.CodeInternalError, ""))
	}
	u.doc = doc
	u.missing = u.principal.Missing(doc.Permissions)
	if u.round != nil && u.round.Terms != u.terms() {
		return u, &answer.Answer{Err: exchange.ErrRejectedState} // the handler asked under other clauses
	}
	return u, nil
}

// resolved calls the tool author's function, contained. If the function fails,
// the first error is its error, and the declared contract applies.
func (g *Engine) resolved(
	ctx context.Context, declared *contract.Document, t bound.Tool, canonical []byte,
) (doc *contract.Document, failed, err error) {
	said, failed := contain.Author(ctx, g.authors, func(context.Context) (any, error) { return t.Resolve(bytes.Clone(canonical)) })
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
func (g *Engine) mustAsk(ctx context.Context, t bound.Tool, canonical []byte) bool {
	must, err := contain.Author(ctx, g.authors, func(context.Context) (bool, error) { return t.MustAsk(canonical), nil })
	return err != nil || must
}

// written calls a function of the tool author that writes a text about a call,
// contained.
func (g *Engine) written(ctx context.Context, write func([]byte) (string, error), canonical []byte) (string, error) {
	return contain.Author(ctx, g.authors, func(context.Context) (string, error) { return write(canonical) })
}

// Effective returns the contract that would apply to a call with these
// arguments. The error is [exchange.ErrUnknownTool] if the caller of ctx may
// not see the tool. Violations are those of the arguments.
func (g *Engine) Effective(
	ctx context.Context, t *facts.Tool, arguments []byte,
) (contract.Document, []contract.Violation, error) {
	var none contract.Document
	p, err := g.findPrincipal(ctx, oplog.Call{})
	if err != nil {
		p = contract.Principal{}
	}
	if !isShown(&t.Doc, t.AuditOnly, p) {
		return none, nil, exchange.ErrUnknownTool
	}
	args, broken := t.Half.Decode(arguments)
	if len(broken) > 0 {
		return none, violations(broken), nil
	}
	effective := &t.Doc
	if t.Resolves {
		if effective, _, err = g.resolved(ctx, &t.Doc, t.Half, args.Canonical); err != nil {
			return none, nil, err
		}
	}
	if effective.Confirmation == contract.ConfirmationWhen {
		effective.Confirmation = contract.ConfirmationNever
		if g.mustAsk(ctx, t.Half, args.Canonical) {
			effective.Confirmation = contract.ConfirmationAlways
		}
		effective.Autonomous = effective.Confirmation == contract.ConfirmationNever && effective.Risk != risk.Forbidden
	}
	return *effective, nil, nil
}
