package client

import (
	"context"
	"encoding/json"
)

// A Transport opens connections to one server. [Command], [HTTP] and
// [InProcess] are the usual ones. Implementations must be safe for concurrent
// use.
type Transport interface {
	// Connect opens a connection. The connection passes every message that
	// answers no request of the client to receive: the server's notifications
	// and requests. It calls receive on its own goroutine, with one message
	// after another.
	Connect(ctx context.Context, receive func(json.RawMessage)) (Conn, error)
}

// A Conn is one connection to a server. Its methods are safe for concurrent
// use.
type Conn interface {
	// Exchange sends a message. If the message is a request, Exchange returns
	// the whole response message, including its id.
	Exchange(ctx context.Context, m Message) (json.RawMessage, error)
	// Listen keeps a stream of notifications open until the connection ends, if
	// the transport needs one. Otherwise it returns at once.
	Listen()
	// Done is closed when the connection has ended.
	Done() <-chan struct{}
	// Close ends the connection and any process that it started.
	Close() error
}

// A Message is a JSON-RPC message to a server.
type Message struct {
	// Body is the whole message, on one line.
	Body json.RawMessage
	// ID is the id of a request. Zero: the message is a notification, or the
	// response to a request of the server.
	ID int64
	// Method and Name are the method and the name of the called tool, which
	// transports need for their headers.
	Method, Name string
	// Params are HTTP headers that repeat arguments of the call. Nil: none.
	Params map[string]string
	// Receive gets the messages that come on the stream of this request and so
	// belong to it. All others go to the receive function of [Transport], as these
	// do if Receive is nil. A transport without such streams ignores it.
	Receive func(json.RawMessage)
	// Version is the protocol version. Empty: it is not negotiated yet, or the
	// message is the response to a request of the server.
	Version string
}
