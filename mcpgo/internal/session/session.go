// Package session reads what a context of mcp-go says about the session of a
// call, and changes it for handlers.
package session

import (
	"context"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// ID returns the id of the session of ctx. It is empty if the transport has no
// sessions.
func ID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// A stdioSession is mcp-go's session over stdio, whose type it does not export.
// Of mcp-go's sessions only that one has a stream to write to. The session id
// proves nothing, because clients over HTTP can choose theirs.
type stdioSession interface {
	server.ClientSession
	SetWriter(w io.Writer)
}

// WithCaller tells the guard's principal function a request's header and
// whether the caller is local. The header is nil if mcp-go does not pass it on.
func WithCaller(ctx context.Context, h http.Header) context.Context {
	local := len(h) == 0 && IsLocalSession(server.ClientSessionFromContext(ctx))
	return adapter.WithCaller(ctx, adapter.Caller{Header: h, Local: local})
}

// IsLocal reports whether the caller is the client of a stdio session or is in
// this process.
func IsLocal(ctx context.Context) bool {
	if c, _ := adapter.CallerFrom(ctx); len(c.Header) > 0 {
		return false // over HTTP, whatever session it was given
	}
	return IsLocalSession(server.ClientSessionFromContext(ctx))
}

// IsLocalSession reports whether a session is over stdio or in this process.
func IsLocalSession(session server.ClientSession) bool {
	if s, ok := session.(answerer); ok {
		session = s.unwrap()
	}
	switch session.(type) {
	case *server.InProcessSession, stdioSession:
		return true
	default:
		return false
	}
}

// IsInProcess reports whether a call runs on the goroutine of a client in this
// process. Any other goroutine belongs to mcp-go or to net/http, which use it
// for other requests too.
func IsInProcess(ctx context.Context) bool {
	_, ok := server.ClientSessionFromContext(ctx).(*server.InProcessSession)
	return ok
}
