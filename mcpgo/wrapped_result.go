package mcpgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

var errTwoResults = errors.New("mcpgo: StructuredContent and RawStructuredContent differ")

// handlerResult returns a result in the form of package adapter. The error
// means that its requests to the client cannot be written.
func handlerResult(r *mcp.CallToolResult) (*adapter.HandlerResult, error) {
	read := &adapter.HandlerResult{IsError: r.IsError}
	if asksForInput(r) {
		requests, err := json.Marshal(r.InputRequests)
		if err != nil {
			return nil, fmt.Errorf("mcpgo: the requests of the handler: %w", err)
		}
		read.Requests, read.State = requests, r.RequestState
		return read, nil
	}
	read.Structured, read.Unread = structuredContent(r)
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

// asksForInput also recognises a question without its result type, by its
// parts.
func asksForInput(r *mcp.CallToolResult) bool {
	return r.ResultType != "" && r.ResultType != mcp.ResultTypeComplete || len(r.InputRequests) > 0 || r.RequestState != ""
}

// structuredContent returns the structured content of a result, nil for none.
// If a result has both forms, they must be equal, because mcp-go writes the raw
// one.
func structuredContent(r *mcp.CallToolResult) (json.RawMessage, error) {
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
	// They are compared as mcp-go decodes them, because both may come from one
	// message, where only one of them has integers of more than 53 bits
	// rounded.
	var raw, decoded any
	if err := errors.Join(json.Unmarshal(r.RawStructuredContent, &raw), json.Unmarshal(written, &decoded)); err != nil {
		return nil, fmt.Errorf("mcpgo: structured content: %w", err)
	}
	if !reflect.DeepEqual(raw, decoded) {
		return nil, errTwoResults
	}
	return r.RawStructuredContent, nil
}
