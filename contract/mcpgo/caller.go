package mcpgo

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// headerKey is the context key of the header that a request came with.
type headerKey struct{}

// withHeader hands a request's header to the guard's principal function. It is
// empty where the transport has none, and nil where mcp-go does not tell.
func withHeader(ctx context.Context, h http.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// headerFrom reports false where the context is not that of a request.
func headerFrom(ctx context.Context) (http.Header, bool) {
	h, ok := ctx.Value(headerKey{}).(http.Header)
	return h, ok
}

// metaKey is the context key of the _meta that a call came with, for wrapped
// handlers.
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

// sessionID is empty where the transport has no sessions.
func sessionID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}
