package guard

import (
	"bytes"
	"context"

	"github.com/toolcontract/toolcontract/contract"
)

func resolves(e *entry) bool { return e.bound.Resolve != nil }

// resolve finds out what holds for these arguments, which may be milder than
// what is declared. A resolution that is wilder breaks the contract, and nothing
// runs.
func resolve(c *call) *Result {
	doc, err := c.set.guard.resolved(c.ctx, &c.entry.doc, c.entry.bound.Resolve, c.args.Canonical)
	if err != nil {
		c.cause = err
		return c.refuse(contract.CodeInternalError, "")
	}
	c.doc = doc
	c.missing = c.principal.Missing(doc.Permissions)
	return nil
}

// resolved asks the author's function, contained, what holds for some arguments.
// Where it fails, that is what is declared.
func (g *Guard) resolved(ctx context.Context, declared *contract.Document, ask func([]byte) (any, error), canonical []byte) (*contract.Document, error) {
	said, err := contained(ctx, g, func(context.Context) (any, error) { return ask(bytes.Clone(canonical)) })
	if err != nil {
		return declared, nil //nolint:nilerr // see above
	}
	r, _ := said.(contract.Resolution)
	doc, err := declared.Resolved(r)
	if err != nil {
		return nil, err
	}
	return &doc, nil
}
