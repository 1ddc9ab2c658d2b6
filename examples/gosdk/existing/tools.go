package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type order struct {
	ID string `json:"id"`
}

type state struct {
	State string `json:"state"`
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Shows an order."},
		func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, state, error) {
			return nil, state{"open"}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order that has not been shipped."},
		func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, state, error) {
			return nil, state{"cancelled"}, nil
		})
	return s
}
