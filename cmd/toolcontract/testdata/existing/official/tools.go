package main

import "github.com/modelcontextprotocol/go-sdk/mcp"

func addTools(server *mcp.Server) {
	read := &mcp.Tool{Name: "read_order", Description: "Reads an order.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	mcp.AddTool(server, read, cancel)
	purge := &mcp.Tool{Name: "purge", Description: "Deletes all orders.", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(true)}}
	mcp.AddTool(server, purge, cancel)
	mcp.AddTool(server, &mcp.Tool{Name: "silent", Description: "Has no hints."}, cancel)
}
