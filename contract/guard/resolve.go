package guard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

func resolves(e *entry) bool { return e.bound.Resolve != nil }

// resolve finds out what holds for these arguments, which may be milder than
// what is declared. A resolution that is wilder breaks the contract, and nothing
// runs.
func resolve(c *call) *Result {
	doc, failed, err := c.set.guard.resolved(c.ctx, &c.entry.doc, c.entry.bound.Resolve, c.args.Canonical)
	c.cause = cmp.Or(err, failed)
	if err != nil {
		return c.refuse(contract.CodeInternalError, "")
	}
	c.doc = doc
	c.missing = c.principal.Missing(doc.Permissions)
	return nil
}

// resolved asks the author's function, contained, what holds for some arguments.
// Where it failed, that is what is declared.
func (g *Guard) resolved(ctx context.Context, declared *contract.Document, ask func([]byte) (any, error), canonical []byte) (doc *contract.Document, failed, err error) {
	said, failed := contained(ctx, g, func(context.Context) (any, error) { return ask(bytes.Clone(canonical)) })
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
