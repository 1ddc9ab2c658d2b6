package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// ErrUnavailable is the failure of a call that did not reach its server.
// Nothing was done, so the call can be repeated. Contracts with a handler from
// [HandlerOf] declare it.
var ErrUnavailable = contract.Retryable("upstream_unavailable", "The server of the tool cannot be reached. Nothing was done.")

// An UnansweredError is the error of a call by [HandlerOf] that reached its
// server and got no answer, so its effect is unknown. A call that was ended by
// its context has the context's error.
type UnansweredError struct {
	// Cause says why there is no answer.
	Cause error
}

// Error returns the cause.
func (e *UnansweredError) Error() string { return "catalog: no answer: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *UnansweredError) Unwrap() error { return e.Cause }

// HandlerOf returns a handler for [adapter.Wrap] that calls a tool of a server.
// It forwards the arguments, the call's idempotency key and its trace context,
// and none of the caller's other metadata. A caller that asks for progress gets
// the server's reports. Links to resources are left out of the result, because
// the resources cannot be read through the gateway, and a text says how many.
// Links to the web (https) stay, because clients read those themselves.
//
// A call that did not reach the server fails with [ErrUnavailable], which the
// contract should declare. If a call reached it and got no answer, its outcome
// is unknown, and the error wraps an [*UnansweredError].
func HandlerOf(c *client.Client, tool string) adapter.Handler {
	return func(ctx context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		params := client.CallParams{
			Name: tool, Arguments: call.Arguments, Meta: forwarded(ctx, call.Meta), State: call.State, Responses: call.Responses,
		}
		if call.Meta["progressToken"] != nil {
			params.Progress = func(done, total float64, note string) { guard.Progress(ctx, done, total, note) }
		}
		raw, err := c.Call(ctx, params)
		if err != nil {
			return nil, callError(err)
		}
		return result(raw)
	}
}

// callError returns the handler's error. A call without an answer must not look
// like an error that the tool reports, because its effect is unknown.
func callError(err error) error {
	refused, isServer := errors.AsType[*client.ServerError](err)
	switch {
	case errors.Is(err, client.ErrUnsent):
		return ErrUnavailable.Wrap(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isServer && refused.Code == codeInvalidParams:
		return adapter.Refusal(contract.CodeInvalidInput, err)
	case !isServer:
		err = &UnansweredError{err}
	}
	return adapter.Refusal(contract.CodeInternalError, err)
}

const codeInvalidParams = -32602

// forwarded returns the metadata to send to a server.
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

var errResult = errors.New("catalog: the result of the tool is not of the form that the protocol defines")

// result parses the result of a call.
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
	links := 0
	for _, item := range read.Content {
		c, err := adapter.UnmarshalContent(item)
		if err != nil {
			r.Unread = errors.Join(r.Unread, err)
			continue
		}
		if link, isLink := c.(contract.LinkContent); isLink && !strings.HasPrefix(link.URI, "https://") {
			links++
			continue
		}
		r.Content = append(r.Content, c)
	}
	if links > 0 {
		r.Content = append(r.Content, contract.TextContent{
			Text: fmt.Sprintf("Links left out, because their resources cannot be read through this gateway: %d.", links),
		})
	}
	return r, nil
}
