// Command mcpgo protects a server on mcp-go. docs/five-minutes.md explains it.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo"
)

func get(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	panic("no order " + r.GetString("id", "")) // stands for a bug
}

func main() {
	s := server.NewMCPServer("orders", "1.0.0")
	reads := mcp.WithToolAnnotation(mcp.ToolAnnotation{ReadOnlyHint: new(true)})
	s.AddTool(mcp.NewTool("get_order", mcp.WithString("id"), reads), get)
	if _, err := mcpgo.Protect(s); err != nil { // the new line
		log.Fatal(err)
	}
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
