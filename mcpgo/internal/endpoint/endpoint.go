// Package endpoint serves an mcp-go server over streamable HTTP, and ends the
// sessions that its clients leave open.
package endpoint

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// An endpoint is one HTTP handler of a server. It ends the sessions that
// clients leave open, because mcp-go keeps them until the process ends.
type endpoint struct {
	server   *server.MCPServer
	next     http.Handler // of mcp-go
	sessions *adapter.Sessions
	suffix   string // of each session id that this endpoint makes
}

// New returns the endpoint of a server over streamable HTTP. A session ends
// after timeout without a request or an open stream.
func New(s *server.MCPServer, timeout time.Duration, opts []server.StreamableHTTPOption) http.Handler {
	suffix := make([]byte, 6)
	_, _ = rand.Read(suffix) // it never fails
	e := &endpoint{server: s, sessions: adapter.NewSessions(timeout), suffix: hex.EncodeToString(suffix)}
	e.next = server.NewStreamableHTTPServer(s,
		append([]server.StreamableHTTPOption{server.WithSessionIdManagerResolver(e)}, opts...)...)
	return e.sessions.Handler(adapter.KeepAlive(afterHostCheck(e), 0))
}

// afterHostCheck keeps mcp-go from refusing the public name of a server behind
// a proxy on the same machine. mcp-go would allow only names of the loopback
// interface there.
func afterHostCheck(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if adapter.HostChecked(r.Context()) {
			r = r.WithContext(r.Context())
			r.Host = "localhost"
		}
		next.ServeHTTP(w, r)
	})
}

type endpointKey struct{}

// Track makes the endpoint of ctx end a session that its client leaves open. A
// hook calls it for each session of which mcp-go keeps something. It does
// nothing if ctx is not of an HTTP request.
func Track(ctx context.Context, id string) {
	if e, ok := ctx.Value(endpointKey{}).(*endpoint); ok {
		e.track(ctx, id)
	}
}

func (e *endpoint) track(ctx context.Context, id string) {
	e.sessions.Began(ctx, id, func() { e.end(id) })
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(context.WithValue(r.Context(), endpointKey{}, e))
	if r.Method == http.MethodPost && r.Header.Get(mcp.HeaderMethod) == string(mcp.MethodNotificationCancelled) {
		r = withoutCancellation(r)
	}
	e.next.ServeHTTP(w, r)
}

// ignoredMethod is a notification without a handler.
const ignoredMethod = "notifications/toolcontract/ignored"

// withoutCancellation replaces a notifications/cancelled of MCP 2026-07-28 with
// a notification that mcp-go ignores. That version has no sessions, so mcp-go
// finds the call by its id alone, which can be the call of another client
// (server/server.go:2577). A call ends when its client closes the stream.
// mcp-go would also refuse the notification that the official Go SDK sends,
// which has no _meta, and that client would then end the connection.
func withoutCancellation(r *http.Request) *http.Request {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	if !mcp.IsModernProtocol(version) {
		return r
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "method": ignoredMethod,
		"params": map[string]any{"_meta": map[string]any{
			mcp.MetaKeyProtocolVersion: version, mcp.MetaKeyClientCapabilities: map[string]any{},
		}},
	})
	if err != nil {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set(mcp.HeaderMethod, ignoredMethod)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return r
}

// end ends a session as its client would, because only then does mcp-go drop
// everything that it keeps of it.
func (e *endpoint) end(id string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, "/", http.NoBody)
	if err != nil {
		return
	}
	r.Header.Set(server.HeaderKeySessionID, id)
	e.next.ServeHTTP(discard{}, r)
	e.server.UnregisterSession(r.Context(), id) // in case a session id manager of the author refused
}

// discard is the writer of a response that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// ResolveSessionIdManager implements [server.SessionIdManagerResolver]. mcp-go
// passes nil when there is no request.
func (e *endpoint) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return sessionIDs{context.Background(), e}
	}
	return sessionIDs{r.Context(), e}
}

// sessionIDs makes the ids of sessions, and checks those of one request. The
// ids have the form of mcp-go's own, so that another replica accepts them. By
// the suffix an endpoint knows its own ids, and refuses one whose session has
// ended.
type sessionIDs struct {
	ctx context.Context //nolint:containedctx // mcp-go passes none to its methods
	*endpoint
}

// sessionPrefix is that of mcp-go's ids.
const sessionPrefix = "mcp-session-"

var errSessionID = errors.New("mcpgo: not a session id")

// Generate implements [server.SessionIdManager].
func (s sessionIDs) Generate() string {
	random := uuid.NewString()
	id := sessionPrefix + random[:len(random)-len(s.suffix)] + s.suffix
	s.track(s.ctx, id)
	return id
}

// Validate implements [server.SessionIdManager].
func (s sessionIDs) Validate(id string) (isTerminated bool, err error) {
	rest, ok := strings.CutPrefix(id, sessionPrefix)
	if _, err := uuid.Parse(rest); err != nil || !ok {
		return false, errSessionID
	}
	return strings.HasSuffix(id, s.suffix) && !s.sessions.IsOpen(id), nil
}

// Terminate implements [server.SessionIdManager].
func (sessionIDs) Terminate(string) (isNotAllowed bool, err error) { return false, nil }
