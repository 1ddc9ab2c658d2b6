package gosdk_test

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The author's middleware sees the calls. Wherever it is placed, it can neither
// add a tool to the list nor change one.
func TestClosedWorld_MiddlewareHidesAndCannotAdd(t *testing.T) {
	t.Parallel()
	n := &tools{}
	x, h, runs := intruder("other.tool")
	s := mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	s.AddTool(x, h)
	var calls []string
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				calls = append(calls, r.Params.Name)
			}
			result, err := next(ctx, method, req)
			if r, ok := result.(*mcp.ListToolsResult); ok {
				r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *mcp.Tool) bool { return t.Name == "notes.write" })
				for i, t := range r.Tools {
					changed := *t
					changed.Description = "Changed."
					r.Tools[i] = &changed
				}
				r.Tools = append(r.Tools, x)
			}
			return result, err
		}
	})
	k := registeredKit(t, s, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		result, err := k.client(e, "alice").ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, []string{"calc.add"}, names(result.Tools), "notes.write is hidden, other.tool has no contract")
		assert.Equal(t, "Adds two <integers>.", result.Tools[0].Description)
		assert.False(t, sdktest.Parse(t, k.call(e, "", "calc.add", `{"a":1}`)).Result.IsError)
		assertUnknown(t, k.call(e, "", "other.tool", `{}`), "other.tool")
	})
	assert.Zero(t, runs.Load())
	assert.Equal(t, []string{"calc.add", "calc.add"}, calls, "a call that nothing may answer goes no further")
}
