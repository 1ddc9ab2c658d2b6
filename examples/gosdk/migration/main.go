// Command migration is the server of command plain after the first steps
// towards contracts: cancel_order is annotated, print_label is wrapped, and
// add_note is typed. The other three tools are unchanged. README.md shows the
// difference.
package main

import (
	"encoding/json"
	"errors"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/gosdk/migration/desk"
	"github.com/toolcontract/toolcontract/examples/migration/note"
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
	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("orders:write")))
	if err != nil {
		return err
	}
	s, err := newServer(desk.New(), g)
	if err != nil {
		return err
	}
	return gosdk.ServeStdioServer(s)
}

func newServer(d *desk.Desk, g *guard.Guard) (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_orders", Description: "Lists the open orders."}, d.ListOrders)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Shows an order."}, d.GetOrder)
	mcp.AddTool(s, &mcp.Tool{Name: "track_parcel", Description: "Returns where the parcel of an order is."}, d.TrackParcel)
	cancel := &mcp.Tool{Name: "cancel_order", Description: "Cancels an order that has not been shipped."}
	notAnnotated := gosdk.Annotate(cancel, contract.Base{Version: "1.0.0", Effect: risk.HighRiskWrite, Trust: trust.Trusted})
	mcp.AddTool(s, cancel, d.CancelOrder)
	labelPrinter, notWrapped := gosdk.WrapFor(&mcp.Tool{
		Name: "print_label", Description: "Makes the label of an order's parcel.",
		InputSchema: json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"string"},` +
			`"width":{"type":"integer","minimum":16,"maximum":512,"default":64}}}`),
	}, d.PrintLabel).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).OtherErrors(contract.ClassRetryable).
		Build()
	noteAdder, notTyped := note.Adder(d.Note)
	if err := errors.Join(notAnnotated, notWrapped, notTyped); err != nil {
		return nil, err
	}
	return s, gosdk.Register(s, g, gosdk.WithTools(labelPrinter, noteAdder))
}
