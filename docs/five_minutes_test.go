package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/gosdk"
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

func Example_fiveMinutes() {
	s := ordersServer()
	report, err := gosdk.Protect(s) // mcp-go: mcpgo.Protect
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
	s := ordersServer()
	settings := belt.Settings{Timeouts: map[string]time.Duration{"import_orders": time.Hour}, Calls: 60, Per: time.Minute}
	report, err := gosdk.Protect(s, settings, belt.Strict()) // mcp-go: mcpgo.Protect
	fmt.Println(len(report.Tools), err)
	// Output: 2 <nil>
}
