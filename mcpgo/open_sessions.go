package mcpgo

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/endpoint"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
)

// sessionBegan and sessionEnded track the sessions of the server for [Verify],
// because mcp-go does not list them. Servers that share hooks can have sessions
// with one id, and the context of these hooks does not name the server. So if
// an id is tracked already, the session began on another server, because mcp-go
// refuses a second session with one id. And if the session is still open here,
// it ended on another server.
func (b *binding) sessionBegan(ctx context.Context, s server.ClientSession) {
	id := s.SessionID()
	endpoint.Track(ctx, id)
	if !isOpen(b.server, id) {
		return
	}
	if _, tracked := b.sessions.LoadOrStore(id, s); !tracked && session.IsLocalSession(s) {
		b.capabilities.Store(id, mcp.ClientCapabilities{})
	}
}

func (b *binding) sessionEnded(_ context.Context, s server.ClientSession) {
	id := s.SessionID()
	if isOpen(b.server, id) {
		return
	}
	b.sessions.Delete(id)
	b.capabilities.Delete(id)
	b.names.release(id)
	b.refusals.forget(id)
}

// isOpen reports whether a server has an open session with an id. mcp-go has no
// function for it, but the one that deletes resources looks for the session
// first. It deletes nothing here.
func isOpen(s *server.MCPServer, id string) bool {
	return !errors.Is(s.DeleteSessionResources(id), server.ErrSessionNotFound)
}

// sessionInitialized remembers the capabilities of a local session. A local
// session serves both eras of the protocol, and mcp-go overwrites its
// capabilities with those of each request of 2026-07-28.
func (b *binding) sessionInitialized(ctx context.Context, _ any, req *mcp.InitializeRequest, _ *mcp.InitializeResult) {
	if b.owns(ctx) && session.IsLocal(ctx) {
		b.capabilities.Store(session.ID(ctx), req.Params.Capabilities)
	}
}

// capabilitiesOf returns the capabilities that count for a request older than
// 2026-07-28: those of initialize. A session that was open before the server
// got its contracts has the ones that mcp-go knows.
func (b *binding) capabilitiesOf(ctx context.Context, s server.SessionWithClientInfo) mcp.ClientCapabilities {
	if b.parent != nil {
		b = b.parent
	}
	if session.IsLocal(ctx) {
		declared, _ := b.capabilities.Load(s.SessionID())
		if capabilities, ok := declared.(mcp.ClientCapabilities); ok {
			return capabilities
		}
	}
	return s.GetClientCapabilities()
}
