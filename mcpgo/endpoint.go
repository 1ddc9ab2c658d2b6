package mcpgo

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

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
)

// An endpoint is one HTTP handler of a server. It ends the sessions that
// clients leave open, because mcp-go keeps them until the process ends.
type endpoint struct {
	binding  *binding
	next     http.Handler // of mcp-go
	sessions *adapter.Sessions
	mark     string // the end of each session id that this endpoint makes
}

func newEndpoint(b *binding, opts []server.StreamableHTTPOption) *endpoint {
	mark := make([]byte, 6)
	_, _ = rand.Read(mark) // it never fails
	e := &endpoint{binding: b, sessions: adapter.NewSessions(b.timeout), mark: hex.EncodeToString(mark)}
	e.next = server.NewStreamableHTTPServer(b.server,
		append([]server.StreamableHTTPOption{server.WithSessionIdManagerResolver(e)}, opts...)...)
	return e
}

type endpointKey struct{}

// endpointFrom returns nil for a context that is not of an HTTP request.
func endpointFrom(ctx context.Context) *endpoint {
	e, _ := ctx.Value(endpointKey{}).(*endpoint)
	return e
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

// withoutCancellation replaces a notifications/cancelled of MCP 2026-07-28 by a
// notification that mcp-go ignores. That version has no sessions, so mcp-go
// finds the call by its id alone, which can be that of another client
// (server/server.go:2577). A call ends when its client closes the stream.
// mcp-go also refuses the notification of the official Go SDK, which has no
// _meta, and its client then ends the connection.
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

// began records a session of which mcp-go keeps something.
func (e *endpoint) began(ctx context.Context, id string) {
	if e != nil {
		e.sessions.Began(ctx, id, func() { e.end(id) })
	}
}

// keepsLogLevel is a hook. mcp-go keeps the log level of any id that a client
// chooses, also of one that it did not make.
func keepsLogLevel(ctx context.Context, _ any, _ *mcp.SetLevelRequest) {
	endpointFrom(ctx).began(ctx, sessionID(ctx))
}

// end ends a session as its client would, because mcp-go has no other way that
// drops everything.
func (e *endpoint) end(id string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, "/", http.NoBody)
	if err != nil {
		return
	}
	r.Header.Set(server.HeaderKeySessionID, id)
	e.next.ServeHTTP(discard{}, r)
	e.binding.server.UnregisterSession(r.Context(), id) // if a session id manager of the author refused
}

// discard is the writer of an answer without a reader.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// ResolveSessionIdManager implements [server.SessionIdManagerResolver]. The
// request is nil outside of one.
func (e *endpoint) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return sessionIDs{context.Background(), e}
	}
	return sessionIDs{r.Context(), e}
}

// sessionIDs makes the ids of sessions, and checks those of one request. The
// ids have the form of mcp-go's own, and another replica takes them too. The
// mark distinguishes ended sessions of this endpoint from those of others.
type sessionIDs struct {
	ctx context.Context //nolint:containedctx // mcp-go passes none on
	*endpoint
}

// sessionPrefix is that of mcp-go's ids.
const sessionPrefix = "mcp-session-"

var errSessionID = errors.New("mcpgo: not a session id")

// Generate implements [server.SessionIdManager].
func (s sessionIDs) Generate() string {
	random := uuid.NewString()
	id := sessionPrefix + random[:len(random)-len(s.mark)] + s.mark
	s.began(s.ctx, id)
	return id
}

// Validate implements [server.SessionIdManager].
func (s sessionIDs) Validate(id string) (isTerminated bool, err error) {
	rest, ok := strings.CutPrefix(id, sessionPrefix)
	if _, err := uuid.Parse(rest); err != nil || !ok {
		return false, errSessionID
	}
	return strings.HasSuffix(id, s.mark) && !s.sessions.IsOpen(id), nil
}

// Terminate implements [server.SessionIdManager].
func (sessionIDs) Terminate(string) (isNotAllowed bool, err error) { return false, nil }
