package gosdk_test

import (
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
)

// Each call reads the registered tools, so its cost grows with their number.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("of %d tools", n), func(b *testing.B) {
			g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithRateLimit(1_000_000_000, 1))
			require.NoError(b, err)
			tools := []*contract.Tool{}
			for i := range n {
				tools = append(tools, wordTool(fmt.Sprintf("word.w%d", i), "x").MustBuild())
			}
			s, err := gosdk.NewServer("kit", "1.0.0", g, gosdk.WithTools(tools...))
			require.NoError(b, err)
			here, there := mcp.NewInMemoryTransports()
			_, err = s.Connect(b.Context(), there, nil)
			require.NoError(b, err)
			c, err := mcp.NewClient(&mcp.Implementation{Name: "b", Version: "1"}, nil).Connect(b.Context(), here, nil)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := callTool(b.Context(), c, "word_w0", map[string]any{})
				require.NoError(b, err)
			}
			require.NoError(b, g.Close(b.Context()))
		})
	}
}
