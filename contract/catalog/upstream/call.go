package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// Call calls a tool and returns the result. A server of protocol version
// 2026-07-28 may return an input_required result. params are the members of the
// parameters except the name, such as arguments, requestState and
// inputResponses; Call does not change them.
//
// The error matches [ErrUnavailable] if no part of the call has reached the
// server. It is a [*ServerError] if the server answered with an error.
func (c *Client) Call(ctx context.Context, tool string, params map[string]any) (json.RawMessage, error) {
	l, err := c.connected(ctx)
	if err != nil {
		return nil, sendError(err)
	}
	params = maps.Clone(params)
	if params == nil {
		params = map[string]any{}
	}
	params["name"] = tool
	raw, err := c.request(ctx, l.Conn, l.version, "tools/call", tool, params)
	return raw, sendError(err)
}

// sendError marks an error of a call that has not reached the server.
func sendError(err error) error {
	if _, unsent := errors.AsType[*unsentError](err); unsent {
		return ErrUnavailable.Wrap(err)
	}
	return err
}

// Handler returns a handler that calls a tool of the server, for
// [adapter.Wrap]. It forwards the arguments, the idempotency key of the call
// and its trace, and no other metadata of the caller.
//
// A call that has not reached the server fails with [ErrUnavailable], which the
// contract should declare. If a call has reached it and got no answer, its
// outcome is unknown, and the error wraps an [*UnansweredError].
func (c *Client) Handler(tool string) adapter.Handler {
	return func(ctx context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		params := map[string]any{"arguments": call.Arguments}
		if meta := forwarded(ctx, call.Meta); len(meta) > 0 {
			params["_meta"] = meta
		}
		if call.State != "" {
			params["requestState"] = call.State
		}
		if len(call.Responses) > 0 {
			params["inputResponses"] = call.Responses
		}
		raw, err := c.Call(ctx, tool, params)
		if err != nil {
			return nil, callError(err)
		}
		return result(raw)
	}
}

// callError returns the error of a handler. A call without an answer is not an
// error that the tool reports, because its effect is unknown.
func callError(err error) error {
	refused, isServer := errors.AsType[*ServerError](err)
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isServer && refused.Code == codeInvalidParams:
		return adapter.Refusal(contract.CodeInvalidInput, err)
	case !isServer:
		err = &UnansweredError{err}
	}
	return adapter.Refusal(contract.CodeInternalError, err)
}

const codeInvalidParams = -32602

// forwarded returns the metadata that a server gets.
func forwarded(ctx context.Context, from map[string]any) map[string]any {
	meta := map[string]any{}
	for _, key := range []string{"traceparent", "tracestate"} {
		if value, ok := from[key].(string); ok {
			meta[key] = value
		}
	}
	if key, ok := guard.IdempotencyKey(ctx); ok {
		meta[contract.MetaKeyIdempotencyKey] = key
	}
	return meta
}

// errResult means that a result is not of the form that the protocol defines.
var errResult = errors.New("upstream: the result of the tool is not of the form that the protocol defines")

// result reads the result of a call.
func result(raw json.RawMessage) (*adapter.HandlerResult, error) {
	var read struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
		Meta       map[string]any    `json:"_meta"`
		Type       string            `json:"resultType"`
		Requests   json.RawMessage   `json:"inputRequests"`
		State      string            `json:"requestState"`
	}
	if json.Unmarshal(raw, &read) != nil {
		return nil, adapter.Refusal(contract.CodeOutputInvalid, errResult)
	}
	if read.Type == "input_required" || len(read.Requests) > 0 || read.State != "" {
		return &adapter.HandlerResult{Requests: read.Requests, State: read.State}, nil
	}
	r := &adapter.HandlerResult{IsError: read.IsError, Meta: read.Meta}
	if string(read.Structured) != "null" {
		r.Structured = read.Structured
	}
	for _, item := range read.Content {
		var block adapter.ContentBlock
		if json.Unmarshal(item, &block) != nil {
			r.Unread = errors.Join(r.Unread, errResult)
			continue
		}
		c, err := block.Content()
		if err != nil {
			r.Unread = errors.Join(r.Unread, err)
			continue
		}
		r.Content = append(r.Content, c)
	}
	return r, nil
}
