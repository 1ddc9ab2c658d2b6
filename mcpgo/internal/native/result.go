package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// Result returns an answer as a result of mcp-go.
func Result(a *adapter.CallResult) *mcp.CallToolResult {
	all := &struct {
		mcp.CallToolResult
		meta    mcp.Meta
		content [1]mcp.Content // most answers have one
	}{meta: mcp.Meta{AdditionalFields: a.Meta}}
	result := &all.CallToolResult
	result.IsError, result.Content = a.IsError, all.content[:0]
	if a.Requests != nil {
		result = inputRequired(a)
	}
	result.Meta = &all.meta
	for _, item := range a.Content {
		result.Content = append(result.Content, fromContent(item))
	}
	if a.Structured != nil {
		result.StructuredContent = a.Structured
	}
	return result
}

// inputRequired returns an answer that asks the client for an input.
func inputRequired(a *adapter.CallResult) *mcp.CallToolResult {
	result := server.NewInputRequestBuilder(a.State).ToolResult()
	if json.Unmarshal(a.Requests, &result.InputRequests) != nil {
		return &mcp.CallToolResult{IsError: true} // not from a handler for mcp-go
	}
	return result
}

// errNotWritten replaces the error of a result that is not JSON, because that
// error may quote the result's values. mcp-go does not answer such a call.
var errNotWritten = errors.New("error: the result cannot be written as JSON")

// Failure returns the JSON-RPC error with which mcp-go answers a call that
// broke off because a function of the server author panicked or exited. id is
// as encoding/json decoded it. Handlers of package mcpgo do not panic.
func Failure(id any, err error) []byte {
	log.Printf("mcpgo: a tools/call was broken off: %v", err)
	if _, panicked := errors.AsType[*contain.PanicError](err); !panicked {
		err = errNotWritten
	}
	refusal := mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "internal "+err.Error(), nil)
	answer, _ := json.Marshal(refusal) //nolint:errchkjson // an id that was read can be written
	return answer
}

var errTwoResults = errors.New("mcpgo: StructuredContent and RawStructuredContent differ")

// HandlerResult returns the result of a handler written for mcp-go in the form
// of package adapter. It fails if the result's requests to the client cannot be
// written as JSON.
func HandlerResult(r *mcp.CallToolResult) (*adapter.HandlerResult, error) {
	read := &adapter.HandlerResult{IsError: r.IsError}
	if AsksForInput(r) {
		requests, err := json.Marshal(r.InputRequests)
		if err != nil {
			return nil, fmt.Errorf("mcpgo: the requests of the handler: %w", err)
		}
		read.Requests, read.State = requests, r.RequestState
		return read, nil
	}
	read.Structured, read.Unread = Structured(r)
	for _, item := range r.Content {
		c, err := readContent(item)
		if err != nil {
			read.Unread = errors.Join(read.Unread, err)
			continue
		}
		read.Content = append(read.Content, c)
	}
	if r.Meta != nil {
		read.Meta = r.Meta.AdditionalFields
	}
	return read, nil
}

// AsksForInput reports whether a result asks the client for input. A question
// that lacks its result type is recognised by its other members.
func AsksForInput(r *mcp.CallToolResult) bool {
	return r.ResultType != "" && r.ResultType != mcp.ResultTypeComplete || len(r.InputRequests) > 0 || r.RequestState != ""
}

// Structured returns the structured content of a result, or nil. If a
// result has both forms they must be equal, because mcp-go writes the raw one.
func Structured(r *mcp.CallToolResult) (json.RawMessage, error) {
	if r.StructuredContent == nil {
		return r.RawStructuredContent, nil
	}
	written, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: structured content: %w", err)
	}
	if len(r.RawStructuredContent) == 0 {
		return written, nil
	}
	// Compare them the way mcp-go decodes them: both may come from one message,
	// and then only one of them has its integers beyond 53 bits rounded.
	var raw, decoded any
	if err := errors.Join(json.Unmarshal(r.RawStructuredContent, &raw), json.Unmarshal(written, &decoded)); err != nil {
		return nil, fmt.Errorf("mcpgo: structured content: %w", err)
	}
	if !reflect.DeepEqual(raw, decoded) {
		return nil, errTwoResults
	}
	return r.RawStructuredContent, nil
}
