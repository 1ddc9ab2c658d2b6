// Command mcpgo protects a server on mcp-go. docs/five-minutes.md explains it.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo"
)

type getIn struct {
	ID string `json:"id"`
}

type order struct {
	State string `json:"state"`
}

var orders = map[string]*order{"o7": {State: "open"}}

func get(_ context.Context, _ mcp.CallToolRequest, in getIn) (order, error) {
	return *orders[in.ID], nil // panics if there is no such order
}

func main() {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("get_order", mcp.WithDescription("Shows an order."), mcp.WithInputSchema[getIn](),
		mcp.WithToolAnnotation(mcp.ToolAnnotation{ReadOnlyHint: new(true)})), mcp.NewStructuredToolHandler(get))
	if _, err := mcpgo.Protect(s); err != nil { // this is new
		log.Fatal(err)
	}
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
