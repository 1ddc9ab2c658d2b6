// This server has 20 tools of the official SDK. The servers beside it differ in
// nothing but what docs/five-minutes.md and docs/person.md add.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/toolcontract/toolcontract/gosdk"
)

type byID struct {
	ID string `json:"id"`
}

// work stands for what the tools do.
func work(_ context.Context, _ *mcp.CallToolRequest, in byID) (*mcp.CallToolResult, byID, error) {
	return nil, in, nil
}

func main() {
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_orders", Description: "List orders."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Get order."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "create_order", Description: "Create order."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "cancel_order", Description: "Cancel order."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "refund_order", Description: "Refund order."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "list_customers", Description: "List customers."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "get_customer", Description: "Get customer."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "update_customer", Description: "Update customer."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "list_products", Description: "List products."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "get_product", Description: "Get product."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "create_product", Description: "Create product."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "update_price", Description: "Update price."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "list_invoices", Description: "List invoices."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "get_invoice", Description: "Get invoice."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "send_invoice", Description: "Send invoice."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "list_shipments", Description: "List shipments."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "track_shipment", Description: "Track shipment."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "create_label", Description: "Create label."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "list_returns", Description: "List returns."}, work)
	mcp.AddTool(s, &mcp.Tool{Name: "accept_return", Description: "Accept return."}, work)
	if _, err := gosdk.Protect(s); err != nil {
		return err
	}
	return s.Run(context.Background(), &mcp.StdioTransport{})
}
