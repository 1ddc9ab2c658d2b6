package gosdk_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// A typed handler that stays registered can ask too.
func TestRounds_AnAdoptedHandlerAsksInEachEra(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		var booked atomic.Int64
		s := mcp.NewServer(&mcp.Implementation{Name: "travel", Version: "1.0.0"}, nil)
		type in struct {
			For string `json:"for,omitempty"`
		}
		city := &mcp.ElicitParams{Message: "Which city?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
		}}
		mcp.AddTool(s, &mcp.Tool{Name: "book", Description: "Books."}, func(_ context.Context, req *mcp.CallToolRequest,
			_ in) (*mcp.CallToolResult, any, error) {
			if r, ok := req.Params.InputResponses["city"].(*mcp.ElicitResult); ok {
				booked.Add(1)
				return text(fmt.Sprint("booked ", r.Content["city"])), nil, nil
			}
			return &mcp.CallToolResult{RequestState: "start", InputRequests: mcp.InputRequestMap{"city": city}}, nil, nil
		})
		k := newKitOf(t, s)
		p := &person{answer: mcp.ElicitResult{Action: "accept", Content: map[string]any{"city": "Rome"}}}
		base := versioned()
		base.Effect = risk.LowRiskWrite
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: base, Options: []wrap.Option{wrap.WithRounds(2)}})
		require.NoError(t, err)
		r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "book", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, "booked Rome", textOf(t, r))
		assert.EqualValues(t, 1, p.asked.Load())
		assert.EqualValues(t, 1, booked.Load())
	})
}
