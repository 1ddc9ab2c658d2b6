package adapter

import (
	"context"
	"net/http"
)

// A Caller is what an adapter knows about the sender of one request. [Bearer]
// and [LocalUser] derive the principal from it. The zero value is a caller
// about whom nothing is known.
type Caller struct {
	// Header is the header of the HTTP request. Empty: there is none.
	Header http.Header
	// Local means that the caller is the client of a stdio session, or is in
	// this process. It must be false for every request over a network.
	Local bool
}

type callerKey struct{}

// WithCaller returns a context for [Table.Call], [Table.Lists], [Table.Unknown]
// and [Table.Unparsable].
func WithCaller(ctx context.Context, c Caller) context.Context {
	return &callerContext{ctx, c}
}

// A callerContext carries a Caller without copying it for each lookup.
type callerContext struct {
	context.Context

	caller Caller
}

// Value implements [context.Context].
func (c *callerContext) Value(key any) any {
	if key == (callerKey{}) {
		return &c.caller
	}
	return c.Context.Value(key)
}

// CallerFrom returns the caller that [WithCaller] put into ctx, and false if
// there is none.
func CallerFrom(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(*Caller)
	if !ok {
		return Caller{}, false
	}
	return *c, true
}
