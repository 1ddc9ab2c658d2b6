package guard

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/risk"
)

// A Principal is the party on whose behalf a call is made:
// [contract.Principal]. The zero value is anonymous.
type Principal = contract.Principal

// PrincipalFrom returns the principal of the call that ctx belongs to. Every
// function of the tool author and of the server author that gets the context of
// a call can use it: handlers, previews, policies, approvers, limiters. The
// second result is false if the caller is anonymous, and outside a call of a
// guard. The principal's Permissions are a copy.
func PrincipalFrom(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(*Principal)
	if !ok || p.IsAnonymous() {
		return Principal{}, false
	}
	return copyOf(*p), true
}

// copyOf copies a principal for a function of an author, which may write into
// its copy.
func copyOf(p Principal) Principal {
	p.Permissions = slices.Clone(p.Permissions)
	return p
}

// isPerson reports whether a known human makes the call by hand.
func isPerson(p Principal) bool { return p.Human && !p.IsAnonymous() }

// nameOf returns the principal's name and nothing else.
func nameOf(p Principal) people.PrincipalName {
	return people.PrincipalName{Issuer: p.Issuer, Tenant: p.Tenant, Subject: p.Subject}
}

// forConsent returns the principal as package consent needs it.
func forConsent(p Principal) consent.Principal {
	return consent.Principal{PrincipalName: nameOf(p), Human: isPerson(p), AuthTime: p.AuthTime, ACR: p.ACR}
}

// A PrincipalFunc finds the principal of a call. It must use only data that the
// transport verified and put into the context, never arguments or _meta,
// because any caller can write those. The zero Principal with a nil error is
// anonymous. An error that wraps [ErrUnavailable] answers unavailable, any
// other error unauthenticated. A panic, or no answer within 10 seconds, counts
// as unavailable. It is called for every call and every list, concurrently.
type PrincipalFunc func(context.Context) (Principal, error)

// ErrUnavailable is wrapped by errors of a system that cannot be reached now. A
// [PrincipalFunc] returns such an error if it cannot reach its source.
var ErrUnavailable = ledger.ErrUnavailable

// The bounds of functions of authors that decide about a call.
const (
	// authorTimeout bounds how long one of them runs.
	authorTimeout = 10 * time.Second
	// authorCalls bounds how many of them run at once.
	authorCalls = 1024
)

// An authorError is the copy of an error that a function of an author returned.
type authorError struct {
	text        string
	unavailable bool
}

func (e *authorError) Error() string { return e.text }

// noteAuthor copies an error of an author.
func noteAuthor(err error) error {
	return &authorError{text: err.Error(), unavailable: errors.Is(err, ErrUnavailable)}
}

// contained calls a function of an author, contained and within authorTimeout.
// The caller's cancellation does not reach it, because a disconnect changes
// neither the caller's identity nor its permissions.
func contained[T any](ctx context.Context, g *Guard, f func(context.Context) (T, error)) (T, error) {
	return contain.Within(ctx, authorTimeout, g.authors, f)
}

// callers is what a guard knows about its principal function.
type callers struct {
	immediate  bool        // it answers at once after its first success
	identified atomic.Bool // it is immediate and has succeeded
}

// findPrincipal calls the principal function, contained. A function of this
// library that answers at once needs no goroutine after its first success. A
// panic is reported with the call that l names; the zero logged names none.
func (g *Guard) findPrincipal(ctx context.Context, l logged) (p Principal, err error) {
	switch {
	case g.principal == nil:
		return Principal{}, nil
	case g.identified.Load():
		if p, err = g.identify(ctx); err != nil {
			g.reportPanic(withLogged(ctx, l), err)
		}
	default:
		if l.tool != nil {
			ctx = withLogged(ctx, l)
		}
		p, err = contained(ctx, g, g.principal)
		if err == nil && g.immediate {
			g.identified.Store(true)
		}
	}
	if err != nil || p.IsAnonymous() {
		return Principal{}, err
	}
	return p, nil
}

// identify calls the principal function on the goroutine of its caller.
func (g *Guard) identify(ctx context.Context) (p Principal, err error) {
	defer panics.Recover(&err)
	if p, err = g.principal(ctx); err != nil {
		err = noteAuthor(err)
	}
	return p, err
}

// viewer returns the principal of a caller that lists tools, or of a refused
// request. If it cannot be found, the caller counts as anonymous.
func (g *Guard) viewer(ctx context.Context) Principal {
	p, err := g.findPrincipal(ctx, logged{})
	if err != nil {
		return Principal{}
	}
	return p
}

// isOutage reports whether an error of findPrincipal means that the caller
// cannot be identified now.
func isOutage(err error) bool {
	e, ok := errors.AsType[*authorError](err)
	return !ok || e.unavailable
}

// lookup finds the principal. It is the first stage of a call, because a
// forbidden tool does not exist for an agent, whatever else is wrong. Lines in
// the log name the call from here on.
func lookup(in arrival) (identified, *answer) {
	l := logged{tool: in.tool, id: in.log.id}
	p, err := in.guard.findPrincipal(in.ctx, l)
	who := identified{arrival: in, unknown: err}
	who.ctx, who.principal = withCaller(in.ctx, l, p)
	if in.tool.doc.Risk == risk.Forbidden && (who.unknown != nil || !isPerson(*who.principal)) {
		in.log.blame(who.unknown)
		return who, &answer{err: ErrUnknownTool}
	}
	return who, nil
}

// authenticate refuses invalid credentials, and an anonymous caller of a tool
// that needs a principal.
func authenticate(who identified) *answer {
	if err := who.unknown; err != nil {
		if isOutage(err) {
			return refuse(refusal.Unavailable("the caller cannot be identified now").Because(err))
		}
		return refuse(refusal.New(contract.CodeUnauthenticated, "the caller's credentials are not valid").Because(err))
	}
	if who.principal.IsAnonymous() && who.tool.doc.NeedsPrincipal() {
		return refuse(refusal.New(contract.CodeUnauthenticated, "the tool needs an authenticated caller"))
	}
	return nil
}
