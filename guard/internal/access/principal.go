package access

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// Find calls the principal function, contained. A function of this library that
// answers at once needs no goroutine after its first success. A panic is
// reported with the call that l names; the zero Call names none.
func (g *Gate) Find(ctx context.Context, l callctx.Values) (p contract.Principal, err error) {
	switch {
	case g.Config.Principal == nil:
		return contract.Principal{}, nil
	case g.identified.Load():
		if p, err = g.identify(ctx); err != nil {
			g.lines.ReportPanic(callctx.With(ctx, l), err)
		}
	default:
		if l.Tool != nil {
			ctx = callctx.With(ctx, l)
		}
		p, err = contain.Author(ctx, g.authors, g.Config.Principal)
		if err == nil && g.Immediate {
			g.identified.Store(true)
		}
	}
	if err != nil || p.IsAnonymous() {
		return contract.Principal{}, err
	}
	return p, nil
}

// IdentifiesCallers reports whether there is a principal function.
func (g *Gate) IdentifiesCallers() bool { return g.Config.Principal != nil }

// identify calls the principal function on the goroutine of its caller.
func (g *Gate) identify(ctx context.Context) (p contract.Principal, err error) {
	defer contain.Recover(&err)
	if p, err = g.Config.Principal(ctx); err != nil {
		err = contain.Note(err)
	}
	return p, err
}

// Viewer returns the principal of a caller that lists tools, or of a refused
// request. If it cannot be found, the caller counts as anonymous.
func (g *Gate) Viewer(ctx context.Context) contract.Principal {
	p, err := g.Find(ctx, callctx.Values{})
	if err != nil {
		return contract.Principal{}
	}
	return p
}

// Principal returns the principal of ctx. The error of a caller that cannot be
// identified now wraps [contain.ErrUnavailable].
func (g *Gate) Principal(ctx context.Context) (contract.Principal, error) {
	p, err := g.Find(ctx, callctx.Values{})
	if err != nil && contain.IsOutage(err) {
		return contract.Principal{}, fmt.Errorf("%w: %w", contain.ErrUnavailable, err)
	}
	return p, err
}

// Authenticate refuses invalid credentials, and an anonymous caller of a tool
// that needs a principal. If the principal could not be determined, unknown
// says why.
func Authenticate(p *contract.Principal, unknown error, of *facts.Audience) *answer.Refusal {
	switch {
	case unknown != nil && contain.IsOutage(unknown):
		return answer.Unavailable("the caller cannot be identified now").Because(unknown)
	case unknown != nil:
		return answer.NewRefusal(contract.CodeUnauthenticated, "the caller's credentials are not valid").Because(unknown)
	case !of.Takes(p):
		return answer.NewRefusal(contract.CodeUnauthenticated, "the tool needs an authenticated caller")
	}
	return nil
}
