package mcpgo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

// BenchmarkAddTool makes a server of 300 tools, one by one and at once.
func BenchmarkAddTool(b *testing.B) {
	type order struct {
		ID string `json:"id"`
	}
	type total struct {
		Cents int `json:"cents"`
	}
	price := func(context.Context, mcp.CallToolRequest, order) (total, error) { return total{1}, nil }
	base := contract.Base{Version: "1.0.0", Effect: risk.ReadOnly}
	tool := func(i int) mcp.Tool {
		return mcp.NewTool(fmt.Sprintf("price_%03d", i), mcp.WithDescription("Prices an order."))
	}
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			s := server.NewMCPServer("bench", "1.0.0")
			for i := range 300 {
				require.NoError(b, mcpgo.AddTool(s, nil, tool(i), price, base))
			}
			require.Len(b, mcpgo.ToolsOf(s), 300)
		}
	})
	b.Run("at once", func(b *testing.B) {
		for b.Loop() {
			var tools []*contract.Tool
			for i := range 300 {
				t := tool(i)
				mcp.WithInputSchema[order]()(&t)
				mcp.WithOutputSchema[total]()(&t)
				built, err := mcpgo.Wrap(t, mcp.NewStructuredToolHandler(price)).From(base).Build()
				require.NoError(b, err)
				tools = append(tools, built)
			}
			s := server.NewMCPServer("bench", "1.0.0")
			require.NoError(b, mcpgo.Register(s, nil, mcpgo.WithTools(tools...)))
			require.Len(b, mcpgo.ToolsOf(s), 300)
		}
	})
}
