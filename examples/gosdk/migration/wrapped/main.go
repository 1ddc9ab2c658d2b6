// Command wrapped is the server of command plain with contracts around all of
// its tools. README.md of the folder above shows the difference.
package main

import (
	"encoding/json"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/gosdk/migration/desk"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
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
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("orders:read", "orders:write")))
	if err != nil {
		return err
	}
	report, err := gosdk.WrapAll(s, g, rules(), gosdk.WithClosedWorld())
	log.Print(report)
	if err != nil {
		return err
	}
	return gosdk.ServeStdioServer(s)
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
