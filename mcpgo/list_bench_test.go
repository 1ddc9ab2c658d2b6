package mcpgo_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// BenchmarkList measures one tools/list from bytes to bytes.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 1000} {
		for _, tier := range []contract.Tier{contract.TierHints, contract.TierSummary, contract.TierFull} {
			b.Run(fmt.Sprintf("tools=%d/tier=%s", n, tier), func(b *testing.B) {
				list := listCalls(b, n, tier)
				b.ReportAllocs()
				for b.Loop() {
					list()
				}
			})
		}
	}
}

// listCalls returns a function that lists n tools that the caller may see.
func listCalls(tb testing.TB, n int, tier contract.Tier) func() []byte {
	tb.Helper()
	tools := make([]*contract.Tool, n)
	for i := range tools {
		tools[i] = contract.New(fmt.Sprintf("orders_price_%04d", i), priceOrder).FlatName().Description("Prices an order.").
			Version("1.2.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("orders:write").MustBuild()
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = g.Close(tb.Context()) })
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithTier(tier))
	require.NoError(tb, err)
	session := server.NewInProcessSession("bench", nil)
	ctx := s.WithContext(tb.Context(), session)
	require.NoError(tb, s.RegisterSession(ctx, session))
	return func() []byte {
		answer, err := json.Marshal(s.HandleMessage(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
		require.NoError(tb, err)
		return answer
	}
}

// mcp-go itself takes 19 allocations for a tool with hints. One more is the
// copy of the tool that it returns when its handler is looked up.
func TestList_TakesFewAllocationsForEachTool(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	if !countsAllocations {
		t.Skip("the race detector allocates too")
	}
	const n = 200
	list := listCalls(t, n, contract.TierHints)
	require.Contains(t, string(list()), "orders_price_0199")
	require.Less(t, testing.AllocsPerRun(5, func() { list() })/n, 21.0)
}
