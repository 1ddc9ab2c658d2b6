package mcpgo

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// sessionID is empty if the transport has no sessions.
func sessionID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// A stdioSession is mcp-go's type, which it does not export. Of mcp-go's
// sessions, only that one has a stream to write to. The session id proves
// nothing, because clients over HTTP can choose theirs.
type stdioSession interface {
	server.ClientSession
	SetWriter(w io.Writer)
}

// withHeader passes a request's header, and whether the caller is local, to the
// guard's principal function. The header is nil if mcp-go does not pass it on.
func withHeader(ctx context.Context, h http.Header) context.Context {
	local := len(h) == 0 && isLocalSession(server.ClientSessionFromContext(ctx))
	return adapter.WithCaller(ctx, adapter.Caller{Header: h, Local: local})
}

// isLocal reports whether the caller is the client of a stdio session or is in
// this process.
func isLocal(ctx context.Context) bool {
	if c, _ := adapter.CallerFrom(ctx); len(c.Header) > 0 {
		return false // over HTTP, whatever session it was given
	}
	return isLocalSession(server.ClientSessionFromContext(ctx))
}

func isLocalSession(session server.ClientSession) bool {
	if s, ok := session.(answering); ok {
		session = s.asking()
	}
	switch session.(type) {
	case *server.InProcessSession, stdioSession:
		return true
	default:
		return false
	}
}

// isInProcess reports whether the goroutine of a call is that of a client in
// this process. Any other goroutine belongs to mcp-go or to net/http, and also
// serves other requests.
func isInProcess(ctx context.Context) bool {
	_, ok := server.ClientSessionFromContext(ctx).(*server.InProcessSession)
	return ok
}

// sessionBegan and sessionEnded track the sessions of the server. [Verify]
// needs them, and mcp-go does not list them. Servers that share hooks can have
// sessions of one id, and the context of these hooks does not name the server.
// If an id is tracked already, its session began on another server, because
// mcp-go refuses a second session of one id. If it is still open, its session
// ended on another server.
func (b *binding) sessionBegan(ctx context.Context, session server.ClientSession) {
	id := session.SessionID()
	endpointFrom(ctx).began(ctx, id)
	if !b.isOpen(id) {
		return
	}
	if _, tracked := b.sessions.LoadOrStore(id, session); !tracked && isLocalSession(session) {
		b.declared.Store(id, mcp.ClientCapabilities{})
	}
}

func (b *binding) sessionEnded(_ context.Context, session server.ClientSession) {
	id := session.SessionID()
	if b.isOpen(id) {
		return
	}
	b.sessions.Delete(id)
	b.declared.Delete(id)
	b.claimed.release(id)
	b.forgetRefused(id)
}

// isOpen reports whether the server has an open session of an id. mcp-go has no
// function for it, but its function that deletes resources looks for the
// session first, and deletes none here.
func (b *binding) isOpen(id string) bool {
	return !errors.Is(b.server.DeleteSessionResources(id), server.ErrSessionNotFound)
}

// sessionInitialized remembers the capabilities of a local session. A local
// session serves both eras of the protocol, and mcp-go overwrites its
// capabilities with those of each request of 2026-07-28.
func (b *binding) sessionInitialized(ctx context.Context, _ any, req *mcp.InitializeRequest, _ *mcp.InitializeResult) {
	if b.owns(ctx) && isLocal(ctx) {
		b.declared.Store(sessionID(ctx), req.Params.Capabilities)
	}
}

// declaredBy returns the capabilities that count for a request older than
// 2026-07-28: those of initialize. A session that was open before the server
// got its contracts has the ones that mcp-go knows.
func (b *binding) declaredBy(ctx context.Context, session server.SessionWithClientInfo) mcp.ClientCapabilities {
	if b.parent != nil {
		b = b.parent
	}
	if isLocal(ctx) {
		declared, _ := b.declared.Load(session.SessionID())
		if capabilities, ok := declared.(mcp.ClientCapabilities); ok {
			return capabilities
		}
	}
	return session.GetClientCapabilities()
}
