// Command plain is a server with six tools that uses only the official Go SDK.
// Command wrapped is the same server with contracts around all of them.
package main

import (
	"context"
	"encoding/json"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/examples/gosdk/migration/desk"
)

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := newServer(desk.New())
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

func newServer(d *desk.Desk) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_orders", Description: "Lists the open orders."}, d.ListOrders)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Shows an order."}, d.GetOrder)
	mcp.AddTool(s, &mcp.Tool{Name: "track_parcel", Description: "Returns where the parcel of an order is."}, d.TrackParcel)
	mcp.AddTool(s, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order that has not been shipped."}, d.CancelOrder)
	mcp.AddTool(s, &mcp.Tool{
		Name: "print_label", Description: "Makes the label of an order's parcel.",
		InputSchema: json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"string"},` +
			`"width":{"type":"integer","minimum":16,"maximum":512,"default":64}}}`),
	}, d.PrintLabel)
	mcp.AddTool(s, &mcp.Tool{Name: "add_note", Description: "Adds a note to an order, for colleagues."}, d.AddNote)
	return s
}
