// Command plain is a server with six tools that uses only mcp-go. Command
// migration is the same server with contracts on three of them.
package main

import (
	"context"
	"errors"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/examples/migration/desk"
)

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := newServer(desk.New())
	if err := server.ServeStdio(s); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func newServer(d *desk.Desk) *server.MCPServer {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("list_orders",
		mcp.WithDescription("Lists the open orders."),
	), d.ListOrders)
	s.AddTool(mcp.NewTool("get_order",
		mcp.WithDescription("Shows an order."),
		mcp.WithString("id", mcp.Required()),
	), d.GetOrder)
	s.AddTool(mcp.NewTool("track_parcel",
		mcp.WithDescription("Returns where the parcel of an order is."),
		mcp.WithString("id", mcp.Required()),
	), d.TrackParcel)
	s.AddTool(mcp.NewTool("cancel_order",
		mcp.WithDescription("Cancels an order that has not been shipped."),
		mcp.WithString("id", mcp.Required()),
	), d.CancelOrder)
	s.AddTool(mcp.NewTool("print_label",
		mcp.WithDescription("Makes the label of an order's parcel."),
		mcp.WithString("id", mcp.Required()),
		mcp.WithNumber("width", mcp.Min(16), mcp.Max(512), mcp.DefaultNumber(64)),
	), d.PrintLabel)
	s.AddTool(mcp.NewTool("add_note",
		mcp.WithDescription("Adds a note to an order, for colleagues."),
		mcp.WithString("id", mcp.Required()),
		mcp.WithString("note", mcp.Required()),
	), d.AddNote)
	return s
}
