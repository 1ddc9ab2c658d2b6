// Command sessions is a server over HTTP whose tools depend on the session:
// when a shift starts, its session gets cancel_order. WrapAll puts contracts
// around these tools too.
package main

import (
	"context"
	"flag"
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
	address := flag.String("http", "127.0.0.1:8080", "the loopback `address` to serve at")
	flag.Parse()
	s := newServer(desk.New())
	if err := wrapServer(s); err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.NewStreamableHTTPServer(s).Start(*address))
}

// wrap puts contracts around the tools that s has, and around those that its
// sessions get later.
func wrapServer(s *server.MCPServer) error {
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(colleague)))
	if err != nil {
		return err
	}
	write := []string{"orders:write"}
	report, err := mcpgo.WrapAll(s, g, wrap.Rules{
		Base: contract.Base{
			Version:     "1.0.0",
			Trust:       trust.Trusted,
			Permissions: []string{"orders:read"},
			OtherErrors: contract.ClassFatal,
		},
		Tools: map[string]wrap.Rule{
			"list_orders":  {Base: contract.Base{Effect: risk.ReadOnly}},
			"start_shift":  {Base: contract.Base{Effect: risk.LowRiskWrite, Permissions: write}},
			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite, Permissions: write}, Later: true},
		},
	}, mcpgo.WithClosedWorld())
	log.Print(report)
	return err
}

// colleague knows the colleagues by name. A real server verifies a token here.
func colleague(_ context.Context, token string) (guard.Principal, error) {
	return guard.Principal{Issuer: "orders", Subject: token, Permissions: []string{"orders:read", "orders:write"}}, nil
}

// newServer is the server as it was before it had contracts.
func newServer(d *desk.Desk) *server.MCPServer {
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(mcp.NewTool("list_orders",
		mcp.WithDescription("Lists the open orders."),
	), d.ListOrders)
	cancelOrder := mcp.NewTool("cancel_order",
		mcp.WithDescription("Cancels an order that has not been shipped."),
		mcp.WithString("id", mcp.Required()),
	)
	s.AddTool(mcp.NewTool("start_shift",
		mcp.WithDescription("Starts a shift. Orders can be cancelled during a shift."),
	), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools)
		if !ok {
			return mcp.NewToolResultError("this client has no session, so its tools cannot change"), nil
		}
		if err := s.AddSessionTool(session.SessionID(), cancelOrder, d.CancelOrder); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText("the shift has started"), nil
	})
	return s
}
