package agent

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Dialer opens sessions with one MCP server. The agent dials once in
// [Connect], and again after a session is lost. Packages mcpgoclient and
// gosdkclient have dialers for the clients of two SDKs.
//
// An implementation must be safe for concurrent use.
type Dialer interface {
	// Dial opens a session and finishes its handshake. The session declares
	// exactly the capabilities of person, and gives it the questions of the
	// server.
	Dial(ctx context.Context, person Person) (Session, error)
}

// A Session is an open session with one MCP server, over the client of an SDK.
// It passes JSON on as it was received, so that numbers stay exact. It neither
// repeats requests nor answers questions by itself.
//
// An implementation must be safe for concurrent use. Its methods return soon
// after their context is done. If the server answers with a JSON-RPC error,
// they return a [*ProtocolError]. If it sent a message of more than
// [MaxMessageBytes], they return [ErrMessageTooLarge]. Every other error means
// that the server may or may not have received the request.
type Session interface {
	// Modern reports whether the session speaks MCP 2026-07-28 or later, where
	// the questions of the server are results of tools/call.
	Modern() bool
	// ListTools sends tools/list with a cursor, which is empty for the first
	// page. It returns the result as the server sent it.
	ListTools(ctx context.Context, cursor string) (json.RawMessage, error)
	// CallTool sends tools/call once, and returns the result as the server sent
	// it. In a modern session this can be an input_required result.
	CallTool(ctx context.Context, params CallParams) (json.RawMessage, error)
	// Close ends the session. Running requests end with an error.
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
	// Responses and State are inputResponses and requestState of a request that
	// answers an input_required result. Empty: the request answers none.
	Responses map[string]json.RawMessage `json:"inputResponses,omitempty"`
	State     string                     `json:"requestState,omitempty"`
}

// A Person describes the person at the host to a session. The zero value cannot
// be asked.
type Person struct {
	// Form and URL are the modes of elicitation that the session declares. If
	// both are false, it declares no elicitation.
	Form, URL bool
	// Elicit answers elicitation/create of a session that is not modern. It
	// takes the params of the request, and returns its result. Nil if Form and
	// URL are false.
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// A ProtocolError is a JSON-RPC error with which a server answered a request.
type ProtocolError struct {
	// Code is the code of JSON-RPC or of MCP, such as -32602.
	Code int
	// Message and Data are the server's own. Message is not sanitised.
	Message string
	Data    json.RawMessage
}

// Error returns the code. It leaves out the text of the server, because that
// can have values of the call.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("the server answered with the JSON-RPC error %d", e.Code)
}
