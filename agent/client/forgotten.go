package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// errForgotten means that the server does not know the session any more, for
// example because it was restarted.
var errForgotten = errors.New("client: the server does not know the session any more")

const (
	codeInvalidRequest = -32600
	// The codes that JSON-RPC leaves to servers.
	lowestServerCode, highestServerCode = -32099, -32000
)

// A refusal is how a server refused a request: the HTTP status, and the code of
// the JSON-RPC error, if there is one.
type refusal struct{ status, code int }

// refusalOf returns how a response refuses a request.
func refusalOf(status int, body json.RawMessage) refusal {
	var m incoming
	_ = json.Unmarshal(body, &m) // a body that is no JSON has no code
	if m.Error == nil {
		return refusal{status: status}
	}
	return refusal{status, m.Error.Code}
}

// mayBeForgotten reports whether a server may refuse a request of a session
// that it does not know in this way. The protocol demands status 404; servers
// also use other ones, or just a JSON-RPC error.
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
// ones can come after the effect of a call.
func (r refusal) isBeforeCall() bool {
	return r.status >= http.StatusBadRequest && r.status < http.StatusInternalServerError
}

// hasForgotten reports whether the server does not know the session any more,
// after it refused a request of the session. Unless the status says so, the server gets a
// ping, which it answers in a session that it knows.
func (e *endpoint) hasForgotten(ctx context.Context, m Message, r refusal) bool {
	switch {
	case r.status == http.StatusNotFound:
		return true
	case m.ID == 0 || !r.mayBeForgotten():
		return false
	}
	ctx, stop := context.WithTimeout(ctx, replyTime)
	defer stop()
	id := -m.ID // no request has it
	body, status, _ := e.post(ctx, Message{
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q}`, id, methodPing), ID: id, Method: methodPing, Version: m.Version,
	})
	again := refusalOf(status, body)
	return again == r || again.status == http.StatusNotFound
}

// noteForgotten makes the client wait before it opens the next connection, if
// the server has forgotten the session without having served a request in it.
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
