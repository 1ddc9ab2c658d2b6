package client

import (
	"context"
	"encoding/json"
)

// A Transport opens connections to one server. [Command], [HTTP] and
// [InProcess] are the usual ones. Implementations must be safe for concurrent
// use.
type Transport interface {
	// Connect opens a connection. The connection passes what answers no request
	// of the client to receive: notifications and requests of the server. It
	// calls receive on its own goroutine, one message after another.
	Connect(ctx context.Context, receive func(json.RawMessage)) (Conn, error)
}

// A Conn is one connection to a server. Its methods are safe for concurrent
// use.
type Conn interface {
	// Exchange sends a message, and returns the response if it is a request.
	// The response is the whole message, with its id.
	Exchange(ctx context.Context, m Message) (json.RawMessage, error)
	// Listen keeps a stream of notifications open until the connection ends, if
	// the transport needs one. It returns at once otherwise.
	Listen()
	// Done is closed when the connection has ended.
	Done() <-chan struct{}
	// Close ends the connection, and a process that it started.
	Close() error
}

// A Message is a JSON-RPC message to a server.
type Message struct {
	// Body is the whole message, in one line.
	Body json.RawMessage
	// ID is the id of a request. Zero: the message is a notification, or the
	// response to a request of the server.
	ID int64
	// Method and Name are what transports need for their headers: the method,
	// and the name of the called tool.
	Method, Name string
	// Params are headers for arguments of the call, over HTTP. Nil: none.
	Params map[string]string
	// Version is the version of the protocol. Empty: it is not agreed yet, or
	// the message is the response to a request of the server.
	Version string
}
