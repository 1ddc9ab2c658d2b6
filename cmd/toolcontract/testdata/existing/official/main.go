// Command orders is a server of the official SDK.
package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type orderIn struct {
	ID string `json:"id"`
}

type orderOut struct {
	Done bool `json:"done"`
}

func cancel(context.Context, *mcp.CallToolRequest, orderIn) (*mcp.CallToolResult, orderOut, error) {
	return nil, orderOut{true}, nil
}

func main() {
	no := false
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{
		Name: "cancel_order", Description: "Cancels an order.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true},
	}, cancel)
	addTools(s)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Println(err)
	}
}
