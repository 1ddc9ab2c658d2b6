package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// HTTP is a [Transport] to a server over streamable HTTP.
type HTTP struct {
	// URL is the endpoint, such as "https://example.com/mcp". Required.
	URL string
	// Header is sent with every request, for example Authorization. Nil: none.
	Header http.Header
	// Client makes the requests, for example one with OAuth or with your own
	// certificates. Nil: a client with neither. Redirects are never followed,
	// whatever the client is set to, so URL must be the final address,
	// including the trailing slash that some servers need.
	Client *http.Client
}

var errURL = errors.New("client: the URL is not valid; use one such as http://127.0.0.1:8080/mcp")

// Connect implements [Transport]. It sends nothing yet.
func (h HTTP) Connect(_ context.Context, receive func(json.RawMessage)) (Conn, error) {
	u, err := url.Parse(h.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errURL
	}
	h.Client = withoutRedirects(h.Client)
	life, end := context.WithCancel(context.Background())
	known, forget := context.WithCancel(life)
	return &endpoint{
		HTTP: h, receive: receive, life: life, end: end, known: known, forget: forget, heard: make(chan struct{}),
	}, nil
}

// withoutRedirects returns a copy of a client that follows no redirects. A
// redirect may lead to another server, which would then get the credentials,
// and after an error nobody could tell whether the first server ran the call.
func withoutRedirects(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// An endpoint is a connection over streamable HTTP: a session, or just the
// address of a server without sessions.
type endpoint struct {
	HTTP

	receive func(json.RawMessage)
	life    context.Context //nolint:containedctx // the life of the connection
	end     context.CancelFunc
	// known ends with the life, or once the server has forgotten the session.
	// Requests that are already running go on, because the server may still answer
	// them.
	known   context.Context //nolint:containedctx // the life for new requests
	forget  context.CancelFunc
	session atomic.Pointer[string]
	version atomic.Pointer[string]
	heard   chan struct{} // closed once the server has answered Listen
	hearing sync.Once     // closes heard
	mu      sync.Mutex    // for receive
}

// Done implements [Conn].
func (e *endpoint) Done() <-chan struct{} { return e.known.Done() }

// Close implements [Conn]. It ends the session.
func (e *endpoint) Close() error {
	e.end()
	session := e.session.Swap(nil)
	if session == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	request, err := e.request(ctx, http.MethodDelete, nil, Message{Version: e.protocolVersion()})
	if err != nil {
		return err
	}
	request.Header.Set("Mcp-Session-Id", *session)
	if response, err := e.Client.Do(request); err == nil { // the server may not support ending sessions
		_ = response.Body.Close()
	}
	return nil
}

// protocolVersion returns the negotiated protocol version, or "" before the
// negotiation.
func (e *endpoint) protocolVersion() string {
	if version := e.version.Load(); version != nil {
		return *version
	}
	return ""
}

func (e *endpoint) request(ctx context.Context, method string, body io.Reader, m Message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, e.URL, body)
	if err != nil {
		return nil, errURL
	}
	for name, values := range e.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	if m.Version != "" {
		request.Header.Set("Mcp-Protocol-Version", m.Version)
	}
	if m.Version == modern && m.Method != "" {
		request.Header.Set("Mcp-Method", m.Method)
		if m.Name != "" {
			request.Header.Set("Mcp-Name", m.Name)
		}
		for name, value := range m.Params {
			request.Header.Set(name, value)
		}
	}
	if session := e.session.Load(); session != nil {
		request.Header.Set("Mcp-Session-Id", *session)
	}
	return request, nil
}

// Exchange implements [Conn].
func (e *endpoint) Exchange(ctx context.Context, m Message) (json.RawMessage, error) {
	if e.known.Err() != nil {
		return nil, &unsentError{errClosed}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	if m.Version == "" && m.Method == "" {
		m.Version = e.protocolVersion() // a reply to the server
	}
	body, status, err := e.post(ctx, m)
	if e.session.Load() == nil || m.Method == methodInitialize {
		return body, err // there was no session to forget
	}
	refused := refusalOf(status, body)
	if !e.hasForgotten(ctx, m, refused) {
		return body, err
	}
	e.forget()
	switch {
	case refused.isBeforeCall():
		return nil, &unsentError{fmt.Errorf("%w: %w", errForgotten, &statusError{status})}
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errForgotten, err)
	}
	return body, nil
}

// post sends a message. It returns the body and the HTTP status of the
// response.
func (e *endpoint) post(ctx context.Context, m Message) (json.RawMessage, int, error) {
	request, err := e.request(ctx, http.MethodPost, bytes.NewReader(m.Body), m)
	if err != nil {
		return nil, 0, err
	}
	if m.Version != "" {
		e.version.Store(&m.Version)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.Client.Do(request)
	if err != nil {
		return nil, 0, e.failure(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if m.Method == methodInitialize {
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			e.session.Store(&id)
		}
	}
	if m.ID == 0 {
		return nil, response.StatusCode, nil
	}
	body, err := e.answer(ctx, m, response)
	return body, response.StatusCode, err
}

// failure returns the error of a request that got no response. It is an
// unsentError if the server couldn't be reached.
func (e *endpoint) failure(ctx context.Context, err error) error {
	switch {
	case e.life.Err() != nil:
		return errClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	err = fmt.Errorf("client: the server cannot be reached: %w", unwrapURL(err))
	if isDial(err) {
		return &unsentError{err}
	}
	return err
}

// answer reads the response to a request.
func (e *endpoint) answer(ctx context.Context, m Message, response *http.Response) (json.RawMessage, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream" && response.StatusCode == http.StatusOK:
		at := &place{}
		body, err := e.events(ctx, response.Body, m, at)
		if errors.Is(err, errClosed) && m.Version != modern {
			body, err = e.resume(ctx, m, at)
		}
		if body == nil && ctx.Err() != nil {
			err = e.failure(ctx, err)
		}
		return body, err
	case kind == "application/json": // errors use it too
		body, err := io.ReadAll(io.LimitReader(response.Body, MaxMessageBytes+1))
		if err != nil {
			return nil, e.failure(ctx, err)
		}
		if len(body) > MaxMessageBytes {
			return nil, ErrMessageTooLarge
		}
		if id, ok := answers(body); ok && id == m.ID || refuses(body) {
			return body, nil
		}
		if response.StatusCode == http.StatusOK {
			return nil, errNoResponse
		}
	}
	return nil, &statusError{response.StatusCode}
}

// A statusError is an HTTP response without a JSON-RPC message.
type statusError struct{ status int }

func (e *statusError) Error() string {
	text := fmt.Sprintf("client: the server answered with HTTP status %d", e.status)
	switch {
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden:
		return text + "; set the credentials in the header Authorization"
	case e.status/100 == 3:
		return text + "; set the URL to the address that it redirects to"
	}
	return text
}

// unwrapURL returns the cause of a net/http error, without the address, which
// may contain credentials.
func unwrapURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// isDial reports whether the connection could not be opened, so that no part of
// the request was sent.
func isDial(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}
