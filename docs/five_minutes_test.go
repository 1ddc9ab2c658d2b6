package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

type orderID struct {
	ID string `json:"id"`
}

func cancelByID(context.Context, *mcp.CallToolRequest, orderID) (*mcp.CallToolResult, any, error) {
	return nil, nil, nil
}

// ordersServer has one tool that reads and one that writes.
func ordersServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "get_order", Description: "Shows an order.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, cancelByID)
	mcp.AddTool(s, &mcp.Tool{Name: "cancel_order", Description: "Cancels an order."}, cancelByID)
	return s
}

func Example_fiveMinutesReport() {
	report, err := gosdk.Protect(ordersServer()) // mcp-go: mcpgo.Protect
	fmt.Println(report, err)
	// Output:
	// tool          effect  risk  trust  asks  contract
	// cancel_order                             none: protected
	// get_order                                none: protected
	//
	// What a clause would bring:
	// - Effect destructive, unless you declare less: a person agrees to each call before it runs
	//   cancel_order
	// - Idempotency managed: a repeated call gets the recorded result, not a second effect
	//   cancel_order
	// - Permissions: callers without them neither see nor call the tool
	//   all 2 tools
	// - Effect read-only: callers learn that they may retry, and clients that they need not ask
	//   get_order
	//  <nil>
}

func Example_fiveMinutesSettings() {
	g, err := guard.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := belt.Settings{
		Guard:    g, // knows callers, and has the audit log; default: slog, and nobody is known
		Timeout:  time.Minute,
		Timeouts: map[string]time.Duration{"import_orders": time.Hour},
		Calls:    60, Per: time.Minute, // of one caller and one tool; default: 600
		Concurrent: 8, // of one caller; default: 64
	}
	_, err = gosdk.Protect(ordersServer(), settings, belt.Strict())
	fmt.Println(err)
	_, err = mcpgo.Protect(server.NewMCPServer("orders", "1.0.0"), settings, belt.Strict())
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
}
