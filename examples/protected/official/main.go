// Command official protects a server on the official SDK.
// docs/five-minutes.md explains it.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/gosdk"
)

type getIn struct {
	ID string `json:"id"`
}

type order struct {
	State string `json:"state"`
}

var orders = map[string]*order{"o7": {State: "open"}}

func get(_ context.Context, _ *mcp.CallToolRequest, in getIn) (*mcp.CallToolResult, order, error) {
	return nil, *orders[in.ID], nil // panics if there is no such order
}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Shows an order.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, get)
	if _, err := gosdk.Protect(s); err != nil { // this is new
		log.Fatal(err)
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
