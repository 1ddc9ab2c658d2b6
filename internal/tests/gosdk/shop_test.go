package gosdk_test

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// plain returns a tool as the author of an SDK server writes it. Each property
// is the JSON of one member of the input schema's properties.
func plain(name string, properties ...string) *mcp.Tool {
	members := ""
	for i, p := range properties {
		if i > 0 {
			members += ","
		}
		members += p
	}
	return &mcp.Tool{Name: name, Description: "The tool " + name + ".",
		InputSchema: json.RawMessage(`{"type":"object","properties":{` + members + `}}`)}
}

// hinted returns a tool with hints.
func hinted(name string, hints mcp.ToolAnnotations) *mcp.Tool {
	t := plain(name)
	t.Annotations = &hints
	return t
}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

func failed(words string) *mcp.CallToolResult {
	r := text(words)
	r.IsError = true
	return r
}

// answering returns a handler that always returns a text.
func answering(words string) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text(words), nil }
}

// wrapTool starts the contract of a harmless read.
func wrapTool(tool *mcp.Tool, h mcp.ToolHandler, opts ...wrap.Option) *wrap.Builder {
	return gosdk.Wrap(tool, h, opts...).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

type findIn struct {
	ID string `json:"id"`
}

type order struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// orders returns a server written for the SDK, with typed and untyped handlers.
func orders() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	no := false
	mcp.AddTool(s, &mcp.Tool{Name: "find_order", Description: "Finds an order.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in findIn) (*mcp.CallToolResult, order, error) {
			return nil, order{in.ID, "open"}, nil
		})
	s.AddTool(hinted("cancel_order", mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true}), answering("cancelled"))
	s.AddTool(plain("drop_orders"), answering("dropped"))
	return s
}

// versioned returns the clauses that the hints of orders don't imply.
func versioned() contract.Base {
	return contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"notes:write"}}
}
