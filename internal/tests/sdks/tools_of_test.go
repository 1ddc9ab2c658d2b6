package sdks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// ToolsOf sees what came and went, without a list or a call in between.
func TestToolsOf_FollowsTheToolsOfTheServer(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		g, _ := newGuard(t, s)
		_, err := o.WrapAll(g, wrap.Rules{
			Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, Effect: risk.ReadOnly},
		}, options{})
		require.NoError(t, err)
		assert.Equal(t, []string{"cancel_order", "drop_orders", "find_order"}, toolNames(o.ToolsOf()))

		o.RemoveTool("drop_orders")
		assert.Equal(t, []string{"cancel_order", "find_order"}, toolNames(o.ToolsOf()), "one went")

		o.AddTool(reads("count_orders"), echo)
		assert.Equal(t, []string{"cancel_order", "count_orders", "find_order"}, toolNames(o.ToolsOf()), "one came")

		o.RemoveTool("count_orders")
		o.AddTool(reads("count_orders"), echo)
		o.AddTool(plain("drop_orders"), saying("dropped again"))
		want := []string{"cancel_order", "count_orders", "drop_orders", "find_order"}
		assert.Equal(t, want, toolNames(o.ToolsOf()), "they came back")

		require.NoError(t, o.Add(wordTool("say_word", "hi").FlatName().MustBuild()))
		o.RemoveTool("find_order")
		want = []string{"cancel_order", "count_orders", "drop_orders", "say_word"}
		assert.Equal(t, want, toolNames(o.ToolsOf()))
		listed, _ := listed(t, o)
		assert.Len(t, listed, len(want), "as clients see it")
	})
}
