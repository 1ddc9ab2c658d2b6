package mcpgo

import (
	"context"
	"net/http"
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
