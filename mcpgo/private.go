package mcpgo

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"
)

// A server is private while no code of the server author has had access to it:
// [ServeStdio] made it without options for mcp-go, and no function of the
// author has asked its context for it. A private server has only the hooks and
// tools of this package, and no middlewares or filters.

// A watched context ends the privacy of a server when it is asked for the
// server. While the server is private, functions of the author get only
// contexts that are derived from a watched one.
type watched struct {
	context.Context

	private *atomic.Bool
}

// Value implements [context.Context].
func (w *watched) Value(key any) any {
	value := w.Context.Value(key)
	if _, ok := value.(*server.MCPServer); ok {
		w.private.Store(false)
	}
	return value
}

// withCaller returns a context with the caller for the functions of the server
// author, which is watched while the server is private.
func (b *binding) withCaller(ctx context.Context, h http.Header) context.Context {
	if b.private.Load() {
		ctx = &watched{ctx, &b.private}
	}
	return withHeader(ctx, h)
}

// withServer returns a context with the server, as HandleMessage makes it.
// mcp-go does not export the key of the server, so withServer records the key
// that mcp-go asks for.
func withServer(ctx context.Context, s *server.MCPServer) context.Context {
	asked := &keyRecorder{Context: ctx}
	server.ServerFromContext(asked)
	return context.WithValue(ctx, asked.key, s)
}

// A keyRecorder records the last key for which it was asked.
type keyRecorder struct {
	context.Context

	key any
}

// Value implements [context.Context].
func (r *keyRecorder) Value(key any) any {
	r.key = key
	return nil
}
