// Command migration is the server of command plain after the first steps
// towards contracts: cancel_order is annotated, print_label is wrapped, and
// add_note is typed. The other three tools are unchanged. README.md shows the
// difference.
package main

import (
	"context"
	"errors"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/migration/desk"
	"github.com/toolcontract/toolcontract/examples/migration/note"
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
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	if err != nil {
		return err
	}
	s, err := newServer(desk.New(), g)
	if err != nil {
		return err
	}
	err = server.ServeStdio(s)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, g.Close(context.Background()))
}

func newServer(d *desk.Desk, g *guard.Guard) (*server.MCPServer, error) {
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
	cancel := mcp.NewTool("cancel_order",
		mcp.WithDescription("Cancels an order that has not been shipped."),
		mcp.WithString("id", mcp.Required()),
	)
	notAnnotated := mcpgo.Annotate(&cancel, contract.Base{Version: "1.0.0", Effect: risk.HighRiskWrite, Trust: trust.Trusted})
	s.AddTool(cancel, d.CancelOrder)
	labelPrinter, notWrapped := mcpgo.Wrap(mcp.NewTool("print_label",
		mcp.WithDescription("Makes the label of an order's parcel."),
		mcp.WithString("id", mcp.Required()),
		mcp.WithNumber("width", mcp.Min(16), mcp.Max(512), mcp.DefaultNumber(64)),
	), d.PrintLabel).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).OtherErrors(contract.ClassRetryable).
		Build()
	noteAdder, notTyped := note.Adder(d.Note)
	if err := errors.Join(notAnnotated, notWrapped, notTyped); err != nil {
		return nil, err
	}
	return s, mcpgo.Register(s, g, mcpgo.WithTools(labelPrinter, noteAdder))
}
