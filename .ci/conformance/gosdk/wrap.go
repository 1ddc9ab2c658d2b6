package main

import (
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
)

// A plain tool is a tool of the SDK without a contract.
type plain struct {
	name, description, schema string
	handler                   mcp.ToolHandler
}

// noArguments is the input schema of a tool without arguments.
const noArguments = `{"type":"object"}`

// wrapAll adds contracts of read-only tools.
func wrapAll(all ...plain) ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, p := range all {
		b := gosdk.Wrap(&mcp.Tool{Name: p.name, Description: p.description, InputSchema: json.RawMessage(p.schema)}, p.handler)
		fixture.ReadOnly(b)
		tool, err := b.Build()
		tools, errs = append(tools, tool), append(errs, err)
	}
	return tools, errors.Join(errs...)
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
