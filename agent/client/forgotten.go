package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// errForgotten means that the server no longer knows the session, for example
// because it was restarted.
var errForgotten = errors.New("client: the server no longer knows the session")

const (
	codeInvalidRequest = -32600
	// The range of codes that JSON-RPC leaves to servers.
	lowestServerCode, highestServerCode = -32099, -32000
)

// A refusal is how a server refused a request: the HTTP status, and the code of
// the JSON-RPC error if there is one.
type refusal struct{ status, code int }

// refusalOf reads the refusal from a response.
func refusalOf(status int, body json.RawMessage) refusal {
	var m incoming
	_ = json.Unmarshal(body, &m) // a body that isn't JSON has no code
	if m.Error == nil {
		return refusal{status: status}
	}
	return refusal{status, m.Error.Code}
}

// mayBeForgotten reports whether a server may answer like this when it doesn't
// know the session. The protocol demands status 404, but servers also use
// others, or just a JSON-RPC error.
func (r refusal) mayBeForgotten() bool {
	switch {
	case r.status == http.StatusTooManyRequests:
		return false // more requests would make it worse
	case r.status >= http.StatusMultipleChoices:
		return true
	}
	return r.code == codeInvalidRequest || r.code >= lowestServerCode && r.code <= highestServerCode
}

// isBeforeCall reports whether a refusal shows that nothing was done. Other
// refusals can follow the effect of a call.
func (r refusal) isBeforeCall() bool {
	return r.status >= http.StatusBadRequest && r.status < http.StatusInternalServerError
}

// hasForgotten reports whether the server no longer knows the session, after it
// refused a request in it. Unless the status says so, the client sends a ping,
// which the server answers if it knows the session.
func (e *endpoint) hasForgotten(ctx context.Context, m Message, r refusal) bool {
	switch {
	case r.status == http.StatusNotFound:
		return true
	case m.ID == 0 || !r.mayBeForgotten():
		return false
	}
	ctx, stop := context.WithTimeout(ctx, replyTime)
	defer stop()
	id := -m.ID // no request uses this ID
	body, status, _ := e.post(ctx, Message{
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q}`, id, methodPing), ID: id, Method: methodPing, Version: m.Version,
	})
	again := refusalOf(status, body)
	return again == r || again.status == http.StatusNotFound
}

// noteForgotten makes the client wait before it opens the next connection if
// the server forgot the session without having served a request in it.
func (c *Client) noteForgotten(l *link, err error) {
	if !errors.Is(err, errForgotten) || l.served.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		c.backOff()
	}
}
