package mcpgo_test

import (
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// BenchmarkRequestServer measures a server that is built for one request: by
// mcp-go alone, with the same tools, and with their contracts.
func BenchmarkRequestServer(b *testing.B) {
	for _, n := range []int{1, 30, 300} {
		tools := make([]*contract.Tool, n)
		bare := make([]server.ServerTool, n)
		for i := range tools {
			tools[i] = contract.New(fmt.Sprintf("orders_price_%04d", i), priceOrder).FlatName().Description("Prices an order.").
				Version("1.2.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("orders:write").MustBuild()
			doc := tools[i].Document()
			bare[i].Tool = mcp.NewToolWithRawSchema(doc.Name, doc.Description, doc.InputSchema)
			bare[i].Tool.RawOutputSchema = doc.OutputSchema
		}
		g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
		require.NoError(b, err)
		b.Cleanup(func() { _ = g.Close(b.Context()) })
		b.Run(fmt.Sprintf("tools=%d/bare", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				server.NewMCPServer("bench", "1.0.0").AddTools(bare...)
			}
		})
		table, err := mcpgo.NewTable("bench", "1.0.0", g, mcpgo.WithTools(tools...))
		require.NoError(b, err)
		b.Run(fmt.Sprintf("tools=%d/NewServer", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := table.NewServer()
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprintf("tools=%d/Register", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, table.Register(server.NewMCPServer("bench", "1.0.0")))
			}
		})
	}
}
