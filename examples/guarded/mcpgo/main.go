// Command mcpgo is a server on mcp-go whose tool a person approves.
// docs/person.md explains it.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type order struct {
	ID string `json:"id"`
}

func cancel(_ context.Context, _ mcp.CallToolRequest, in order) (order, error) {
	return in, nil // your code cancels it
}

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := server.NewMCPServer("orders", "1.0.0")
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	if err != nil {
		return err
	}
	err = mcpgo.AddTool(s, g, mcp.NewTool("cancel_order", mcp.WithDescription("Cancels an order.")), cancel,
		contract.Base{Effect: risk.HighRiskWrite, Trust: trust.Trusted, Permissions: []string{"orders:write"}})
	if err != nil {
		return err
	}
	return mcpgo.ServeStdioServer(s) // in place of server.ServeStdio
}
