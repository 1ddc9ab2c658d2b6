package mcpgo_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func callOf(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

func listedBy(t *testing.T, ctx context.Context, s *server.MCPServer) []string {
	t.Helper()
	var all []string
	for _, raw := range sdktest.Parse(t, handleAs(t, ctx, s, list)).Result.Tools {
		var tool mcp.Tool
		require.NoError(t, json.Unmarshal(raw, &tool))
		all = append(all, tool.Name)
	}
	return all
}

// Tools that were not registered through this package are neither listed nor
// run, in whatever way of mcp-go they came.
func TestClosedWorld_NoWayToAddAToolOpensIt(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(*server.MCPServer, server.ServerTool){
		"all tools replaced": func(s *server.MCPServer, x server.ServerTool) { s.SetTools(x) },
		"a copy of a contract's definition": func(s *server.MCPServer, x server.ServerTool) {
			name := x.Tool.Name
			x.Tool = s.GetTool("calc.add").Tool
			x.Tool.Name = name
			s.AddTools(x)
		},
		"a task tool": func(s *server.MCPServer, x server.ServerTool) {
			s.DeleteTools(x.Tool.Name)
			x.Tool.Execution = &mcp.ToolExecution{TaskSupport: mcp.TaskSupportOptional}
			s.AddTaskTool(x.Tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
				_, err := x.Handler(ctx, r)
				return &mcp.CreateTaskResult{}, err
			})
		},
		"the handler of a contract with another definition": func(s *server.MCPServer, x server.ServerTool) {
			x.Handler = s.GetTool("calc.add").Handler
			s.AddTools(x)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tier := range []contract.Tier{contract.TierFull, contract.TierHints} {
				for _, taken := range []string{"calc.add", "calc.plus", "other.tool"} {
					n := &tools{}
					k := newKit(t, n.All(), mcpgo.WithTier(tier))
					x, runs := intruder(taken)
					register(k.server, x)
					assert.NotContains(t, listedBy(t, t.Context(), k.server), taken)
					assertUnknown(t, handle(t, k.server, callOf(taken, `{"a":1}`)), taken)
					assert.Zero(t, runs.Load())
					assert.Zero(t, n.Adds.Load())
					require.Len(t, k.events(audit.Terminal), 1)
				}
			}
		})
	}
}

func TestClosedWorld_SessionToolsAreNotRun(t *testing.T) {
	t.Parallel()
	for _, taken := range []string{"calc.add", "calc.plus", "other.tool"} {
		n := &tools{}
		k := newKit(t, n.All())
		x, runs := intruder(taken)
		if taken != "other.tool" {
			x.Tool = k.server.GetTool(taken).Tool
		}
		ctx := k.server.WithContext(t.Context(), &session{id: "s", tools: map[string]server.ServerTool{taken: x}})
		assert.NotContains(t, listedBy(t, ctx, k.server), taken)
		assertUnknown(t, handleAs(t, ctx, k.server, callOf(taken, `{"a":1}`)), taken)
		assert.Zero(t, runs.Load())
		assert.Zero(t, n.Adds.Load())
	}
}

// A hook must not write another contract into the list.
func TestClosedWorld_ToolWithOtherMetaIsHidden(t *testing.T) {
	t.Parallel()
	forged := mcp.NewMetaFromMap(map[string]any{contract.MetaKeyContract: map[string]any{"risk": "minimal"}})
	for _, tier := range []contract.Tier{contract.TierSummary, contract.TierFull, contract.TierHints} {
		hooks := &server.Hooks{}
		hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
			r.Tools[0].Meta = forged
		})
		n := &tools{}
		other := reader("calc.find").MustBuild()
		k := newKit(t, []*contract.Tool{n.Add().MustBuild(), other}, mcpgo.WithTier(tier),
			mcpgo.WithServerOptions(server.WithHooks(hooks)))
		assert.Equal(t, []string{"calc.find"}, listedBy(t, t.Context(), k.server), tier)
	}
}

func TestClosedWorld_ServerAuthorsFilterHidesAndCannotAdd(t *testing.T) {
	t.Parallel()
	x, runs := intruder("other.tool")
	var seen [][]string
	filter := func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		seen = append(seen, names(found))
		kept := slices.DeleteFunc(slices.Clone(found), func(t mcp.Tool) bool { return t.Name == "calc.add" })
		return append(kept, x.Tool)
	}
	n := &tools{}
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		assert.Equal(t, []string{"notes.write"}, names(r.Tools))
	})
	k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithToolFilter(filter), server.WithHooks(hooks)))
	k.server.AddTools(x)

	assert.Empty(t, listedBy(t, t.Context(), k.server), "anonymous callers may not see notes.write")
	assertUnknown(t, handle(t, k.server, callOf("calc.add", `{"a":1}`)), "calc.add")
	assertUnknown(t, handle(t, k.server, callOf("other.tool", `{}`)), "other.tool")
	// The filter decides about an alias as about its tool. The answer does not
	// reveal the tool.
	raw := handle(t, k.server, callOf("calc.plus", `{"a":1}`))
	assertUnknown(t, raw, "calc.plus")
	assert.NotContains(t, raw, "calc.add")
	assert.Zero(t, runs.Load())
	assert.Zero(t, n.Adds.Load())
	assert.Equal(t, [][]string{{"calc.add", "notes.write"}, {"calc.add"}, {"calc.add"}}, seen)
}

// A hook of the server author that renames a tool cannot list it under a name
// by which it is not called.
func TestClosedWorld_RenamedToolIsNotListed(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		r.Tools = slices.Clone(r.Tools)
		for i := range r.Tools {
			r.Tools[i].Name = "other.tool"
		}
	})
	k := newKit(t, (&tools{}).All(), mcpgo.WithServerOptions(server.WithHooks(hooks)))
	assert.Empty(t, listedBy(t, t.Context(), k.server))
}

// If a program takes a contract's handler out of the server, the handler still
// runs its own tool through the guard, and no other tool.
func TestHandler_TakenOutOfTheServerIsGuarded(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	h := k.server.GetTool("notes.write").Handler
	result, err := h(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Arguments: map[string]any{"text": "x"}}})
	require.NoError(t, err)
	assert.True(t, result.IsError)
	assert.Zero(t, n.Notes.Load())

	_, err = h(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "calc.add"}})
	require.EqualError(t, err, "tool 'calc.add' not found: tool not found")
	require.NotErrorIs(t, err, guard.ErrUnknownTool)
	assert.Zero(t, n.Adds.Load())

	result, err = k.server.GetTool("calc.add").Handler(t.Context(),
		mcp.CallToolRequest{Params: mcp.CallToolParams{Arguments: map[string]any{"a": 2}}})
	require.NoError(t, err)
	assert.False(t, result.IsError)
}
