package native

import (
	"encoding/json"
	"errors"
	"log"

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
