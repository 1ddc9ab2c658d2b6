package gosdk

import (
	"context"
	"crypto/rand"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// Bearer returns a principal function for HTTP. It takes the bearer token from
// the calling request's Authorization header and passes it to verify; see
// [adapter.Bearer]. [TokenInfo] is for servers whose tokens the SDK verifies.
func Bearer(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc {
	return adapter.Bearer(verify)
}

// LocalUser returns the source of principals of a stdio server. The principal
// is the operating system user who started the process, with the given
// permissions; see [adapter.LocalUser].
//
// Only the client of [ServeStdio], of [ServeStdioServer] and of a transport
// from [LocalTransport] is known to be local. Any other caller gets an error,
// so that its call is unauthenticated. The SDK gives no id to its stdio and
// in-memory sessions, nor to those of its SSE handler, which serves a network.
func LocalUser(permissions ...string) guard.PrincipalSource { return adapter.LocalUser(permissions...) }

// LocalTransport returns a transport whose client counts as the local user for
// [LocalUser], such as one of mcp.NewInMemoryTransports. Do not use it for a
// network connection, or for an in-process client that forwards other people's
// requests.
func LocalTransport(t mcp.Transport) mcp.Transport { return localTransport{t} }

type localTransport struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (t localTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return localConnection{c, localSessions + rand.Text()}, nil
}

// A localConnection has the id of a local session.
type localConnection struct {
	mcp.Connection

	id string
}

// SessionID implements [mcp.Connection].
func (c localConnection) SessionID() string { return c.id }
