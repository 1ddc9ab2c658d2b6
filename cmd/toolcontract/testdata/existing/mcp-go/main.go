// Command orders is a server of mcp-go.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type orderIn struct {
	ID string `json:"id"`
}

type orderOut struct {
	Done bool `json:"done"`
}

func cancel(context.Context, mcp.CallToolRequest, orderIn) (orderOut, error) {
	return orderOut{true}, nil
}

func read(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("an order"), nil
}

func main() {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("read_order", mcp.WithDescription("Reads an order."), mcp.WithReadOnlyHintAnnotation(true)), read)
	s.AddTool(mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order."), mcp.WithDestructiveHintAnnotation(false)),
		mcp.NewStructuredToolHandler(cancel))
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
