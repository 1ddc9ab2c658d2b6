package docs_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// orderCanceller returns a tool at high risk.
func orderCanceller() *contract.Tool {
	return contract.New("orders.cancel", cancelOrder).
		Description("Cancels an order that has not been shipped.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		MustBuild()
}

// wrapOne puts a contract around one tool of a server.
func wrapOne(s *server.MCPServer, g *guard.Guard, tool mcp.Tool, handler server.ToolHandlerFunc) error {
	wrapped, err := mcpgo.Wrap(tool, handler).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		Build()
	if err != nil {
		return err
	}
	return mcpgo.Register(s, g, mcpgo.WithTools(wrapped))
}

func Example_oneTool() {
	tool := mcp.NewTool("add_note", mcp.WithDescription("Adds a note to an order."))
	handler := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("added"), nil
	}
	s := server.NewMCPServer("orders", "1.0.0")
	s.AddTool(tool, handler)
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wrapOne(s, g, tool, handler), len(mcpgo.ToolsOf(s)))
	// Output: <nil> 1
}

func Example_existingServer() {
	g, err := guard.New(
		guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write")),
		guard.WithAuditOnly("orders.cancel", "confirmation", "permissions"))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = g.Protect(orderCanceller())
	fmt.Println(err)
	// Output: <nil>
}
