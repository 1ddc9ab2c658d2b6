package mcpgo

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"
)

// A server is private while no code of the server author has had it: it was
// made by [ServeStdio] without options for mcp-go, and no function of the
// author has asked its context for it. Then it has no hooks, middlewares,
// filters or tools but those of this package.

// A watched context makes a server public if it is asked for the server. All
// contexts that functions of the author get are made of one.
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

// withCaller is [withCaller] for the functions of the server author.
func (b *binding) withCaller(ctx context.Context, h http.Header) context.Context {
	if b.private.Load() {
		ctx = &watched{ctx, &b.private}
	}
	return withCaller(ctx, h)
}

// withServer returns a context with the server, as HandleMessage makes it. The
// key of the server is mcp-go's own: it is the one with which mcp-go asks for
// the server.
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
