package mcpgo

import (
	"context"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// metaKey is the context key of a call's _meta, for wrapped handlers.
type metaKey struct{}

func withMeta(ctx context.Context, m *mcp.Meta) context.Context {
	if m == nil {
		return ctx
	}
	return context.WithValue(ctx, metaKey{}, m)
}

func metaFrom(ctx context.Context) *mcp.Meta {
	m, _ := ctx.Value(metaKey{}).(*mcp.Meta)
	return m
}

// sessionID is empty if the transport has no sessions.
func sessionID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// stdioSessionID is the id of mcp-go's one stdio session. Its few workers serve
// all calls, and a handler that ended a worker's goroutine would take that
// worker away. If a client of another transport chooses this id, it gains
// nothing.
const stdioSessionID = "stdio"

func isStdio(ctx context.Context) bool { return sessionID(ctx) == stdioSessionID }

// A stdioSession is mcp-go's type, which it does not export. Of mcp-go's
// sessions, only that one has a stream to write to. The session id proves
// nothing, because clients over HTTP can choose theirs.
type stdioSession interface {
	server.ClientSession
	SetWriter(w io.Writer)
}

// isLocal reports whether the caller is the client of a stdio session or is in
// this process.
func isLocal(ctx context.Context) bool {
	if header, _ := headerFrom(ctx); len(header) > 0 {
		return false // over HTTP, whatever session it was given
	}
	switch server.ClientSessionFromContext(ctx).(type) {
	case *server.InProcessSession, stdioSession:
		return true
	default:
		return false
	}
}

// sessionBegan and sessionEnded track the sessions that can have tools of their
// own. [Verify] needs them, and mcp-go does not list them.
func (b *binding) sessionBegan(_ context.Context, session server.ClientSession) {
	if with, ok := session.(server.SessionWithTools); ok {
		b.sessions.Store(with.SessionID(), with)
	}
}

func (b *binding) sessionEnded(_ context.Context, session server.ClientSession) {
	b.sessions.Delete(session.SessionID())
	b.claimed.release(session.SessionID())
}
