package upstream

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

func newClient(t Transport, _ []Option) *Client              { return &Client{transport: t} }
func (c *Client) listTools(context.Context) (Listing, error) { return Listing{}, nil }
func (c *Client) call(context.Context, string, map[string]any) (json.RawMessage, error) {
	return nil, nil
}
func (c *Client) handler(string) adapter.Handler { return nil }
func (c *Client) close() error                   { return nil }

// A ServerError is an error with which a server answers a request.
type ServerError struct {
	// Code is the code of JSON-RPC.
	Code int
	// Message is the text of the server, cleaned and cut.
	Message string
}

// Error returns the code.
func (e *ServerError) Error() string { return "upstream: the server answered with an error" }
