package client

import (
	"context"
	"encoding/json"
)

// A Session is one connection to a server. It passes JSON on as it was
// received, so that numbers stay exact. It neither repeats requests nor answers
// questions by itself. [Client.Dial] opens one; you can also implement it over
// a client of your own.
//
// An implementation must be safe for concurrent use. Its methods return soon
// after their context is done. If the server answers with a JSON-RPC error,
// they return a [*ServerError]. If it sent a message of more than
// [MaxMessageBytes], they return [ErrMessageTooLarge]. Any other error means
// that the server may or may not have received the request.
type Session interface {
	// Modern reports whether the session speaks MCP 2026-07-28 or later, where
	// the server asks questions in the results of tools/call.
	Modern() bool
	// ListTools sends tools/list with a cursor, empty for the first page. It
	// returns the result as the server sent it.
	ListTools(ctx context.Context, cursor string) (json.RawMessage, error)
	// CallTool sends tools/call once and returns the result as the server sent
	// it. In a modern session that may be an input_required result.
	CallTool(ctx context.Context, params CallParams) (json.RawMessage, error)
	// Close ends the session. Running requests return an error.
	Close() error
}

// CallParams are the params of one tools/call request.
type CallParams struct {
	// Name is the listed name of the tool.
	Name string `json:"name"`
	// Arguments is a JSON object.
	Arguments json.RawMessage `json:"arguments"`
	// Meta is the _meta of the request, such as the idempotency key. A session
	// adds what its protocol version needs. Empty: none.
	Meta map[string]any `json:"_meta,omitempty"`
	// Responses and State are the inputResponses and the requestState of a
	// request that answers an input_required result. Empty: it answers none.
	Responses map[string]json.RawMessage `json:"inputResponses,omitempty"`
	State     string                     `json:"requestState,omitempty"`
	// Progress gets the progress that the server reports while the call runs, with
	// the arguments of guard.Progress. The reports arrive one at a time. It must
	// not block. Nil: the server is not asked for reports.
	Progress func(done, total float64, note string) `json:"-"`
}

// A Person describes to a session what the person at the host can be asked. The
// zero value means nothing.
type Person struct {
	// Form and URL are the modes of elicitation that the session declares. If
	// both are false, it declares no elicitation.
	Form, URL bool
	// Elicit answers elicitation/create in a session that is not modern. It
	// takes the params of the request and returns its result. It may be called
	// concurrently. Nil if Form and URL are false.
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// capabilities returns the client capabilities, as JSON, that declare exactly
// what the person can be asked.
func (p Person) capabilities() string {
	switch {
	case p.Form && p.URL:
		return `{"elicitation":{"form":{},"url":{}}}`
	case p.Form:
		return `{"elicitation":{"form":{}}}`
	case p.URL:
		return `{"elicitation":{"url":{}}}`
	}
	return `{}`
}

// Dial opens a session with a connection of its own. It implements the Dialer
// of package agent. An older session listens to the server from the start,
// because the server may ask questions outside the response to a request.
func (c *Client) Dial(ctx context.Context, person Person) (Session, error) {
	l, err := c.open(ctx, person)
	if err != nil {
		return nil, err
	}
	if l.version != modern {
		go l.Listen()
		l.awaitStream(ctx)
	}
	return &session{client: c, link: l}, nil
}

// awaitStream waits, for a bounded time, until the server can ask questions
// outside the response to a request. Before that, the server would drop them.
func (l *link) awaitStream(ctx context.Context) {
	e, ok := l.Conn.(*endpoint)
	if !ok {
		return // always
	}
	ctx, stop := context.WithTimeout(ctx, streamTime)
	defer stop()
	select {
	case <-e.heard:
	case <-ctx.Done():
	case <-e.Done():
	}
}

type session struct {
	client *Client
	link   *link
}

func (s *session) Modern() bool { return s.link.version == modern }

func (s *session) ListTools(ctx context.Context, cursor string) (json.RawMessage, error) {
	return s.client.list(ctx, s.link, cursor)
}

func (s *session) CallTool(ctx context.Context, params CallParams) (json.RawMessage, error) {
	return s.client.call(ctx, s.link, params, newOpenCall(s.link, params.Progress))
}

func (s *session) Close() error { return s.link.close() }
