package mcpgo

import (
	"context"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// Bearer returns a principal function for HTTP. It takes the bearer token (RFC
// 6750 §2.1) from the Authorization header and calls verify, which checks the
// token: signature, issuer, audience, expiry. mcp-go needs no option for this.
// An error of verify is passed on as it is; it wraps [guard.ErrUnavailable] if
// the token could not be checked now.
//
// The caller is anonymous without the header and over other transports. A
// header that is not exactly one bearer token is an error, and verify is not
// called. A token for which verify returns no subject is an error too. The case
// of the scheme does not matter (RFC 9110 §11.1).
//
// A refused call has HTTP status 200, because a tool answers it. Hosts begin an
// authorization only after a status 401, so an OAuth server also puts a handler
// in front of the endpoint: oauth.Resource.Protect with the same verify. Both
// verify the token, so the tools stay protected without that handler.
//
// A nil verify returns nil, which guard.WithPrincipal refuses. Many goroutines
// call verify at once.
func Bearer(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc {
	if verify == nil {
		return nil
	}
	find := adapter.Bearer(verify)
	return func(ctx context.Context) (guard.Principal, error) {
		p, err := find(ctx)
		return p, adapter.In(packageName, err)
	}
}

// packageName is the prefix of this package's errors in audit logs.
const packageName = "mcpgo"

// LocalUser returns the source of principals of a stdio server. The principal
// is the user of the operating system who started the process, with the given
// permissions. Its issuer is [contract.LocalIssuer]. It is an agent, like every
// MCP client. The subject is the name of the user, or the user's number if the
// system has no name for it. The user is looked up once, at the first call.
//
// Only two kinds of caller are known to be local: the client of a stdio
// session, served by [ServeStdio] or by mcp-go itself, and a client in the
// process, whose session is a server.InProcessSession of mcp-go. The identity
// of any other caller, such as one over HTTP, is unknown. It gets an error, so
// that its call is unauthenticated. The same holds for a call without a
// session, such as a program that calls MCPServer.HandleMessage: give its
// context a session with MCPServer.WithContext.
//
// A session does not show which process is at the end of its stream. Do not use
// LocalUser if mcp-go's StdioServer.Listen gets a network connection, or if the
// program forwards requests of other people to a client in the process.
func LocalUser(permissions ...string) guard.PrincipalSource {
	return localUser{adapter.LocalUser(permissions...)}
}

type localUser struct{ guard.PrincipalSource }

// AnswersAtOnce means that only the first call can wait.
func (localUser) AnswersAtOnce() {}

// OnlyLocal means that no other caller has a principal.
func (localUser) OnlyLocal() {}

// Principal implements [guard.PrincipalSource].
func (u localUser) Principal(ctx context.Context) (guard.Principal, error) {
	c, _ := adapter.CallerFrom(ctx)
	if c.Local != session.IsLocal(ctx) { // mcp-go itself serves the session
		ctx = session.WithCaller(ctx, c.Header)
	}
	p, err := u.PrincipalSource.Principal(ctx)
	return p, adapter.In(packageName, err)
}
