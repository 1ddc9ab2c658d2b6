package upstream

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

// A Client is a client of one server. It connects when it is first used, and
// again when the connection has ended, such as after a crash of the server.
// Make one with [New]. It is safe for concurrent use.
type Client struct {
	transport Transport
	changed   chan struct{}
}

// New returns a client. It does not connect yet.
func New(t Transport, opts ...Option) *Client { return newClient(t, opts) }

// An Option configures a [Client].
type Option func(*Client)

// ListTools returns all tools of the server, of all pages. It returns an error
// if a bound is exceeded, or if the list changes each time that it is read.
func (c *Client) ListTools(ctx context.Context) (Listing, error) { return c.listTools(ctx) }

// Call calls a tool and returns the result, which is an input_required result
// of a server that asks for more. params are the members of the parameters
// except the name, such as arguments, requestState and inputResponses. The
// error is a [*ServerError] if the server answers with one.
func (c *Client) Call(ctx context.Context, tool string, params map[string]any) (json.RawMessage, error) {
	return c.call(ctx, tool, params)
}

// Handler returns a handler that calls a tool of the server, for
// [adapter.Wrap]. A call that gets no answer is an error whose effect is
// unknown.
func (c *Client) Handler(tool string) adapter.Handler { return c.handler(tool) }

// Changed gets a value when the server has reported that its list has changed,
// and after each new connection except the first. Values that are not received
// are merged into one.
func (c *Client) Changed() <-chan struct{} { return c.changed }

// Close ends the connection. Later calls are errors.
func (c *Client) Close() error { return c.close() }
