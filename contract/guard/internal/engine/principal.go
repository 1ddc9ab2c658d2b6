package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/risk"
)

// callers is what a guard knows about its principal function.
type callers struct {
	identified atomic.Bool // it is immediate and has succeeded
}

// findPrincipal calls the principal function, contained. A function of this
// library that answers at once needs no goroutine after its first success. A
// panic is reported with the call that l names; the zero logged names none.
func (g *Engine) findPrincipal(ctx context.Context, l oplog.Call) (p contract.Principal, err error) {
	switch {
	case g.config.Principal == nil:
		return contract.Principal{}, nil
	case g.identified.Load():
		if p, err = g.identify(ctx); err != nil {
			g.lines.ReportPanic(oplog.With(ctx, l), err)
		}
	default:
		if l.Tool != nil {
			ctx = oplog.With(ctx, l)
		}
		p, err = contain.Author(ctx, g.authors, g.config.Principal)
		if err == nil && g.config.Immediate {
			g.identified.Store(true)
		}
	}
	if err != nil || p.IsAnonymous() {
		return contract.Principal{}, err
	}
	return p, nil
}

// identify calls the principal function on the goroutine of its caller.
func (g *Engine) identify(ctx context.Context) (p contract.Principal, err error) {
	defer panics.Recover(&err)
	if p, err = g.config.Principal(ctx); err != nil {
		err = contain.Note(err)
	}
	return p, err
}

// viewer returns the principal of a caller that lists tools, or of a refused
// request. If it cannot be found, the caller counts as anonymous.
func (g *Engine) viewer(ctx context.Context) contract.Principal {
	p, err := g.findPrincipal(ctx, oplog.Call{})
	if err != nil {
		return contract.Principal{}
	}
	return p
}

// lookup finds the principal. It is the first stage of a call, because a
// forbidden tool does not exist for an agent, whatever else is wrong. Lines in
// the log name the call from here on.
func lookup(in arrival) (identified, *answer.Answer) {
	l := oplog.Call{Tool: in.tool.Tool, ID: in.log.ID()}
	p, err := in.engine.findPrincipal(in.ctx, l)
	who := identified{arrival: in, unknown: err}
	who.ctx, who.principal = oplog.WithCaller(in.ctx, l, p)
	if in.tool.Doc.Risk == risk.Forbidden && (who.unknown != nil || !facts.IsPerson(*who.principal)) {
		in.log.Blame(who.unknown)
		return who, &answer.Answer{Err: exchange.ErrUnknownTool}
	}
	return who, nil
}

// authenticate refuses invalid credentials, and an anonymous caller of a tool
// that needs a principal.
func authenticate(who identified) *answer.Answer {
	if err := who.unknown; err != nil {
		if contain.IsOutage(err) {
			return answer.Refuse(answer.Unavailable("the caller cannot be identified now").Because(err))
		}
		return answer.Refuse(answer.NewRefusal(contract.CodeUnauthenticated, "the caller's credentials are not valid").Because(err))
	}
	if who.principal.IsAnonymous() && who.tool.Doc.NeedsPrincipal() {
		return answer.Refuse(answer.NewRefusal(contract.CodeUnauthenticated, "the tool needs an authenticated caller"))
	}
	return nil
}

// Principal returns the principal of ctx. The error of a caller that cannot be
// identified now wraps contain.ErrUnavailable.
func (g *Engine) Principal(ctx context.Context) (contract.Principal, error) {
	p, err := g.findPrincipal(ctx, oplog.Call{})
	if err != nil && contain.IsOutage(err) {
		return contract.Principal{}, fmt.Errorf("%w: %w", contain.ErrUnavailable, err)
	}
	return p, err
}
