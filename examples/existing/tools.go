package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func newServer() *server.MCPServer {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("get_order",
		mcp.WithDescription("Shows an order."),
		mcp.WithString("id", mcp.Required()),
	), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("order " + r.GetString("id", "") + " is open"), nil
	})
	s.AddTool(mcp.NewTool("cancel_order",
		mcp.WithDescription("Cancels an order that has not been shipped."),
		mcp.WithString("id", mcp.Required()),
	), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("cancelled " + r.GetString("id", "")), nil
	})
	return s
}
