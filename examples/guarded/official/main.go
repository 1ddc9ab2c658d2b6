// Command official is a server on the official SDK whose tool a person
// approves. docs/person.md explains it.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type order struct {
	ID string `json:"id"`
}

func cancel(_ context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, order, error) {
	return nil, in, nil // your code cancels it
}

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("orders:write")))
	if err != nil {
		return err
	}
	err = gosdk.AddTool(s, g, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order."}, cancel,
		contract.Base{Effect: risk.HighRiskWrite, Trust: trust.Trusted, Permissions: []string{"orders:write"}})
	if err != nil {
		return err
	}
	return gosdk.ServeStdioServer(s) // in place of s.Run
}
