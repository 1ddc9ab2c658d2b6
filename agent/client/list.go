package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// A Listing is a server's list of tools.
type Listing struct {
	// Tools are the tools as the server wrote them, in its order.
	Tools []json.RawMessage
	// Version is the negotiated protocol version, such as "2026-07-28".
	Version string
	// Name is the name that the server gives itself, as unchecked text. Empty:
	// it gives none.
	Name string
}

// ListTools returns the tools of the server, from all pages. If the list
// changes while it is being read, ListTools reads it again, at most twice. The
// error is a [*ListError] if the list exceeds a limit, repeats a cursor, or
// changes each time.
func (c *Client) ListTools(ctx context.Context) (Listing, error) {
	l, err := c.connected(ctx)
	if err != nil {
		return Listing{}, err
	}
	for range maxListings {
		before := c.changes.Load()
		listing, err := c.pages(ctx, l)
		if err != nil {
			return Listing{}, err
		}
		if c.changes.Load() == before {
			return listing, nil
		}
	}
	return Listing{}, &ListError{Rule: ruleListChanging, Message: "the list changes each time that it is read"}
}

// pages reads all pages of the list once.
func (c *Client) pages(ctx context.Context, l *link) (Listing, error) {
	listing := Listing{Version: l.version, Name: l.server}
	cursors, cursor, size := map[string]bool{}, "", 0
	for range maxListPages {
		raw, err := c.list(ctx, l, cursor)
		if err != nil {
			return Listing{}, err
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if json.Unmarshal(raw, &page) != nil {
			return Listing{}, &ListError{Rule: ruleListForm, Message: "the list is not of the form that the protocol defines"}
		}
		size += len(raw)
		listing.Tools = append(listing.Tools, page.Tools...)
		switch {
		case size > maxListBytes:
			return Listing{}, &ListError{
				Rule: ruleListBytes, Message: fmt.Sprintf("the list has more than %d bytes", maxListBytes),
				Remedy: "shorten the descriptions of its tools, or split the server",
			}
		case len(listing.Tools) > maxListTools:
			return Listing{}, &ListError{
				Rule: ruleListTools, Message: fmt.Sprintf("the list has more than %d tools", maxListTools), Remedy: "split the server",
			}
		case page.Next == "":
			return listing, nil
		case cursors[page.Next]:
			return Listing{}, &ListError{Rule: ruleListCursor, Message: "a cursor leads back to an earlier page"}
		}
		cursor = page.Next
		cursors[cursor] = true
	}
	return Listing{}, &ListError{Rule: ruleListPages, Message: fmt.Sprintf("the list has more than %d pages", maxListPages)}
}

// list reads one page of the list. It remembers which arguments must also be
// sent as HTTP headers.
func (c *Client) list(ctx context.Context, l *link, cursor string) (json.RawMessage, error) {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	raw, err := c.request(ctx, l, Message{Method: "tools/list"}, params)
	if err != nil {
		return nil, err
	}
	headers := toolHeadersOn(raw)
	l.mu.Lock()
	defer l.mu.Unlock()
	if cursor == "" || l.headers == nil {
		l.headers = map[string]toolHeaders{}
	}
	maps.Copy(l.headers, headers)
	return raw, nil
}

var errToolHeaders = errors.New("client: an x-mcp-header in the schema of the tool is invalid, " +
	"so the protocol forbids the tool over HTTP; correct it on the server")

// Call calls a tool and returns the result as the server sent it. A server of
// protocol version 2026-07-28 may return an input_required result. With
// [WithElicitation], an older server's question becomes such a result too: the
// server keeps running the call, and the next Call with its State and Responses
// answers the question. The call is cancelled if that takes longer than ten
// minutes. If an older server asks without naming its call while other calls
// are running, or soon after one was given up, it gets an error.
//
// The error matches [ErrUnsent] if no part of the call has reached the server.
// It is a [*ServerError] if the server answered with an error.
func (c *Client) Call(ctx context.Context, params CallParams) (json.RawMessage, error) {
	if pending := c.take(params.State); pending != nil {
		return c.answer(ctx, pending, params)
	}
	l, err := c.connected(ctx)
	switch {
	case err != nil:
		return nil, err
	case l.version == modern || !c.asks:
		return c.call(ctx, l, params, newOpenCall(l, params.Progress))
	case params.State != "":
		return nil, errNoQuestion
	}
	return c.ask(ctx, l, params)
}

func (c *Client) call(ctx context.Context, l *link, p CallParams, call *openCall) (raw json.RawMessage, err error) {
	token := c.next.Add(1)
	l.begin(token, call)
	defer func() { l.finish(token, err) }()
	params := map[string]any{"name": p.Name}
	if len(p.Arguments) > 0 {
		params["arguments"] = p.Arguments
	}
	meta := maps.Clone(p.Meta)
	if p.Progress != nil {
		if meta == nil {
			meta = map[string]any{}
		}
		meta["progressToken"] = token
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	if len(p.Responses) > 0 {
		params["inputResponses"] = p.Responses
	}
	if p.State != "" {
		params["requestState"] = p.State
	}
	m := Message{Method: "tools/call", Name: p.Name, Receive: func(body json.RawMessage) { c.receive(l, body, call) }}
	if l.version == modern {
		l.mu.Lock()
		headers := l.headers[p.Name]
		l.mu.Unlock()
		if _, overHTTP := l.Conn.(*endpoint); overHTTP && headers.wrong {
			return nil, &unsentError{errToolHeaders}
		}
		m.Params = headersOf(headers.rules, p.Arguments)
	}
	return c.request(ctx, l, m, params)
}
