package mcpgo

import (
	"context"
	"net/http"
)

// headerKey is the context key of a request's header.
type headerKey struct{}

// withHeader passes a request's header to the guard's principal function. It is
// empty if the transport has none, and nil if mcp-go does not pass it on.
func withHeader(ctx context.Context, h http.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// headerFrom reports false for a context that is not of a request.
func headerFrom(ctx context.Context) (http.Header, bool) {
	h, ok := ctx.Value(headerKey{}).(http.Header)
	return h, ok
}
