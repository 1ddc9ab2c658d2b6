package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// sessionTimeout is how long the SDK keeps a session without a request.
const sessionTimeout = 30 * time.Minute

// NewHandler makes a server as [NewServer] does and returns its MCP endpoint
// over streamable HTTP. Mount it at one path, such as /mcp. A body can be 64
// KiB longer than the largest arguments of opts' tools; a longer one is refused
// as [adapter.LimitHandler] describes. Package serve runs it:
//
//	h, err := gosdk.NewHandler("mail", "1.0.0", g, gosdk.WithTools(tools...))
//	web.Handle("/mcp", h)
//
// The endpoint is two handlers of the SDK, and the header Mcp-Protocol-Version
// selects one. A handler of the SDK serves protocol version 2026-07-28 only
// without sessions (mcp/streamable.go:871), and can ask older clients only in a
// session (mcp/streamable.go:1523). A call of 2026-07-28 is cancelled when its
// client disconnects. A client that sends no Accept header, or one without
// text/event-stream, gets JSON. It cannot be asked within a call and gets no
// progress.
//
// Sessions that clients leave open are ended as [adapter.Sessions] describes.
// Quiet calls are kept open as [adapter.KeepAlive] describes, unless the
// author's options ask for JSON.
//
// Behind another HTTP server, the SDK refuses a request that arrives at a
// loopback address with another host name. Package serve makes that check
// itself. [WithHTTPOptions] passes options to the SDK's transport. Callers
// close g after the server has ended.
func NewHandler(name, version string, g *guard.Guard, opts ...Option) (http.Handler, error) {
	t, err := NewTable(name, version, g, opts...)
	if err != nil {
		return nil, err
	}
	s, err := t.NewServer()
	if err != nil {
		return nil, err
	}
	return t.Handler(func(*http.Request) *mcp.Server { return s }), nil
}

// HandlerOf returns an endpoint over streamable HTTP, as [NewHandler] does, for
// an existing server: one made by [NewServer], or passed to [Register] or
// [WrapAll]. It uses the [WithHTTPOptions] given there. Use it in place of the
// SDK's mcp.NewStreamableHTTPHandler, which serves protocol version 2026-07-28
// only without sessions. The size limit of a request follows from the tools
// that the server has when HandlerOf is called. A server without contracts is
// an error.
func HandlerOf(s *mcp.Server) (http.Handler, error) {
	b, err := settled(s, "serve.server")
	if err != nil {
		return nil, err
	}
	return newHandler(b.table().Table, b.http, func(*http.Request) *mcp.Server { return s }), nil
}

// newHandler returns the endpoint for both eras of the protocol.
func newHandler(t *adapter.Table, options mcp.StreamableHTTPOptions, getServer func(*http.Request) *mcp.Server) http.Handler {
	getServer = oncePerRequest(getServer)
	options.MaxRequestBodyBytes = -1 // LimitHandler bounds it
	modern, older := options, options
	sessions := adapter.NewSessions(options.SessionTimeout)
	modern.Stateless, modern.PropagateRequestCancellation = true, true
	older.Stateless = false
	if older.SessionTimeout <= 0 {
		older.SessionTimeout = sessionTimeout
	}
	var h http.Handler = &endpoint{
		table: t, hangsUp: options.EventStore == nil,
		modern: mcp.NewStreamableHTTPHandler(getServer, &modern),
		older:  keepSessions(sessions, mcp.NewStreamableHTTPHandler(getServer, &older)),
	}
	if !options.JSONResponse {
		h = adapter.KeepAlive(h, 0)
	}
	return adapter.LimitHandler(sessions.Handler(h), int64(t.MaxMessageBytes()))
}

type sessionsKey struct{}

// keepSessions puts an endpoint's sessions into each request's context, for
// [sessionBegan]. A session's context is that of its first request.
func keepSessions(sessions *adapter.Sessions, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionsKey{}, sessions)))
	})
}

// sessionBegan records the HTTP session that sent a request.
func sessionBegan(ctx context.Context, of mcp.Session) {
	sessions, ok := ctx.Value(sessionsKey{}).(*adapter.Sessions)
	session, isServer := of.(*mcp.ServerSession)
	if !ok || !isServer || sessions.IsOpen(session.ID()) {
		return
	}
	sessions.Began(ctx, session.ID(), func() {
		go func() { _ = session.Close() }() // it waits for handlers
	})
}

// An endpoint routes requests by protocol version.
type endpoint struct {
	table         *adapter.Table
	modern, older http.Handler
	hangsUp       bool // a client of an older version that closes the connection gets no answer
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(context.WithValue(r.Context(), serverKey{}, &madeServer{}))
	if adapter.HostChecked(r.Context()) {
		r.Host = "localhost" // the SDK would accept only loopback names
	}
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body) // already in memory
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), brokenOff{err}))
		if err == nil && !e.isReadable(w, r, body) {
			return
		}
		w = withAnyAccept(w, r, body)
	}
	if r.Header.Get("Mcp-Protocol-Version") >= firstModern {
		e.modern.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodPost {
		defer announce(r, e.hangsUp)()
	}
	e.older.ServeHTTP(w, r)
}

// isReadable answers a tools/call whose parameters cannot be read and reports
// false for it. The SDK would answer below its middleware, with an error that
// repeats them in full (mcp/shared.go:349).
func (e *endpoint) isReadable(w http.ResponseWriter, r *http.Request, body []byte) bool {
	message, err := jsonrpc.DecodeMessage(body)
	req, ok := message.(*jsonrpc.Request)
	if err != nil || !ok || !isUnreadable(req) {
		return true
	}
	ctx := adapter.WithCaller(withToken(r.Context(), &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context())}),
		adapter.Caller{Header: r.Header})
	e.table.Unparsable(ctx)
	answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: req.ID, Error: errUnreadable})
	if err != nil {
		http.Error(w, errUnreadable.Message, http.StatusBadRequest)
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(answer) // the client may be gone
	return false
}

// brokenOff is a reader that returns the error that ended a body, or io.EOF if
// err is nil.
type brokenOff struct{ err error }

func (b brokenOff) Read([]byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	return 0, io.EOF
}

var errUnreadable = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the parameters of tools/call cannot be read"}

// isUnreadable reports whether a request is a tools/call whose parameters the
// SDK cannot read.
func isUnreadable(req *jsonrpc.Request) bool {
	if req.Method != methodCallTool || !req.IsCall() {
		return false
	}
	var params *mcp.CallToolParamsRaw
	return json.Unmarshal(req.Params, &params) != nil || params == nil
}

// A madeServer is the server made for one HTTP request.
type madeServer struct {
	server *mcp.Server
	asked  bool
}

type serverKey struct{}

// oncePerRequest calls getServer once a request. The SDK calls it twice and
// would throw one server away.
func oncePerRequest(getServer func(*http.Request) *mcp.Server) func(*http.Request) *mcp.Server {
	return func(r *http.Request) *mcp.Server {
		made, ok := r.Context().Value(serverKey{}).(*madeServer)
		if !ok {
			return getServer(r)
		}
		if !made.asked {
			made.server = getServer(r)
			made.asked = true
		}
		return made.server
	}
}
