package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
)

// isPerson reports whether a known human makes the call by hand.
func (p Principal) isPerson() bool { return p.Human && !p.IsAnonymous() }

// findPrincipal asks the principal function, contained.
func (g *Guard) findPrincipal(ctx context.Context) (Principal, error) {
	if g.principal == nil {
		return Principal{}, nil
	}
	p, err := contained(ctx, g, g.principal)
	if err != nil || p.IsAnonymous() {
		return Principal{}, err
	}
	return p, nil
}

// authenticate refuses credentials that are not valid, and an anonymous caller
// of a tool that needs a principal.
func authenticate(c *call) *Result {
	if err := c.principalErr; err != nil {
		c.cause = err
		if e, ok := errors.AsType[*authorError](err); !ok || e.unavailable {
			return c.refuseLater(contract.CodeUnavailable, "it cannot be found out now who is calling", unavailableDelay)
		}
		return c.refuse(contract.CodeUnauthenticated, "the caller's credentials are not valid")
	}
	if c.principal.IsAnonymous() && c.entry.doc.NeedsPrincipal() {
		return c.refuse(contract.CodeUnauthenticated, "the tool needs an authenticated caller")
	}
	return nil
}
