package gosdk_test

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Tools that were not registered through this package are neither listed nor
// run.
func TestClosedWorld_ToolsAddedLaterAreHiddenAndNotRun(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(*mcp.Server, *mcp.Tool, mcp.ToolHandler){
		"a tool added later": func(s *mcp.Server, x *mcp.Tool, h mcp.ToolHandler) { s.AddTool(x, h) },
		"a tool that replaces one": func(s *mcp.Server, x *mcp.Tool, h mcp.ToolHandler) {
			s.RemoveTools(x.Name)
			s.AddTool(x, h)
		},
		"a copy of a contract's mark": func(s *mcp.Server, x *mcp.Tool, h mcp.ToolHandler) {
			x.Meta = mcp.Meta{"io.github.toolcontract/contract": map[string]any{"version": "1.2.3"}}
			s.AddTool(x, h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, taken := range []string{"calc.add", "calc.plus", "other.tool"} {
				n := &tools{}
				k := newKit(t, n.All())
				x, h, runs := intruder(taken)
				register(k.server, x, h)
				assert.NotContains(t, listedBy(t, k.server), taken)
				assertUnknown(t, handle(t, k.server, callOf(taken, `{"a":1}`)), taken)
				assert.Zero(t, runs.Load())
				assert.Zero(t, n.Adds.Load())
				require.Len(t, k.events(audit.Terminal), 1)
			}
		})
	}
}

// Middleware of the server author sees the calls. It cannot add a tool to the
// list or change one, wherever it stands.
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

func TestAlias_IsCallableAndNotListed(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		assert.Equal(t, []string{"calc.add", "notes.write"}, listedNames(t, k.client(e, "alice")))
		raw := k.call(e, "", "calc.plus", `{"a":2,"b":3}`)
		assert.Equal(t, "calc.add", sdktest.Outcome(t, raw).UseName)
		assert.JSONEq(t, `{"sum":5}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		assert.Empty(t, sdktest.Outcome(t, k.call(e, "", "calc.add", `{"a":2}`)).UseName)
	})
	assert.EqualValues(t, 4, n.Adds.Load())
	for _, event := range k.events(audit.Terminal) {
		assert.Equal(t, "calc.add", event.Tool)
	}
}

func TestAlias_NeedsTheSamePermissions(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		sdktest.AssertRefused(t, k.call(e, "", "notes.add", `{"text":"x"}`), "unauthenticated")
		sdktest.AssertRefused(t, k.call(e, "bob", "notes.add", `{"text":"x"}`), "permission_denied")
	})
	assert.Zero(t, n.Notes.Load())
}
