package mcpgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

var (
	errTwoResults  = errors.New("mcpgo: StructuredContent and RawStructuredContent differ")
	errContentType = errors.New("mcpgo: an item of the content is nil, or of a type that no tool result has")
)

// errorText returns the text items of a result with isError.
func errorText(r *mcp.CallToolResult) string {
	var texts []string
	for _, item := range r.Content {
		c, err := readContent(item)
		if t, ok := c.(contract.TextContent); ok && err == nil {
			texts = append(texts, t.Text)
		}
	}
	if len(texts) == 0 {
		return "the tool gave no reason"
	}
	return strings.Join(texts, "\n")
}

// reply returns a result in the form that a contract declares.
func reply(r *mcp.CallToolResult) (contract.Reply[json.RawMessage], error) {
	var reply contract.Reply[json.RawMessage]
	structured, err := structuredContent(r)
	if err != nil {
		return reply, err
	}
	for _, item := range r.Content {
		c, err := readContent(item)
		if err != nil {
			return reply, err
		}
		reply.Content = append(reply.Content, c)
	}
	reply.Out = structured
	if r.Meta != nil {
		reply.Meta = r.Meta.AdditionalFields
	}
	return reply, nil
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
