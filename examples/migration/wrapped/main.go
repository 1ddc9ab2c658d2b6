// Command wrapped is the server of command plain with contracts around all of
// its tools. README.md of the folder above shows the difference.
package main

import (
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/migration/desk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := newServer(desk.New())
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write")))
	if err != nil {
		return err
	}
	report, err := mcpgo.WrapAll(s, g, rules(), mcpgo.WithClosedWorld())
	log.Print(report)
	if err != nil {
		return err
	}
	return mcpgo.ServeStdioServer(s)
}

func rules() wrap.Rules {
	read := wrap.Rule{Base: contract.Base{Effect: risk.ReadOnly, Permissions: []string{"orders:read"}}}
	return wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, OtherErrors: contract.ClassFatal},
		Tools: map[string]wrap.Rule{
			"list_orders": read, "get_order": read, "track_parcel": read, "print_label": read,
			"add_note":     {Base: contract.Base{Effect: risk.LowRiskWrite, Permissions: []string{"orders:write"}}},
			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"orders:write"}}},
		},
	}
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
