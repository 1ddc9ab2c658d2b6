package mcpgo_test

import (
	"context"
	"fmt"
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

// adopt returns a kit whose server already exists.
func adopt(t *testing.T, s *server.MCPServer, served []*contract.Tool, opts ...mcpgo.Option) *kit {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}, server: s}
	var err error
	k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(k.log))
	require.NoError(t, err)
	require.NoError(t, mcpgo.Register(s, k.guard, append(asWritten(mcpgo.WithTools(served...)), opts...)...))
	k.serveHTTP()
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	return k
}

// existing returns a server with n plain tools, with definitions of every kind.
func existing(n int, opts ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("old", "1.0.0", opts...)
	for i := range n {
		name := fmt.Sprintf("old_%02d", i)
		tool := mcp.NewTool(name, mcp.WithDescription("Does "+name+"."), mcp.WithNumber("n"))
		switch i % 4 {
		case 1:
			tool = mcp.NewToolWithRawSchema(name, "Raw.", []byte(`{"type":"object","x-own":[3,1]}`))
		case 2:
			tool.Meta = mcp.NewMetaFromMap(map[string]any{"ui": "x", contract.MetaKeyContract: "not ours"})
			tool.Icons = []mcp.Icon{{Src: "https://example.com/i.png"}}
		case 3:
			tool.Annotations = mcp.ToolAnnotation{Title: "T"}
		}
		s.AddTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if i%5 == 4 {
				return nil, fmt.Errorf("old %d failed", i)
			}
			return mcp.NewToolResultText(fmt.Sprintf("%s got %v", name, r.GetArguments()["n"])), nil
		})
	}
	return s
}

// listing returns the JSON of each tool in the list, and the names in order.
func listing(t *testing.T, raw string) (map[string]string, []string) {
	t.Helper()
	tools, order := map[string]string{}, []string(nil)
	for _, tool := range sdktest.Parse(t, raw).Result.Tools {
		var named struct{ Name string }
		sdktest.Unmarshal(t, string(tool), &named)
		tools[named.Name], order = string(tool), append(order, named.Name)
	}
	return tools, order
}

func TestRegister_PreservesHooksAndFilters(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	var lists, calls int
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { lists++ })
	hooks.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { calls++ })
	hide := func(hidden string) server.ServerOption {
		return server.WithToolFilter(func(_ context.Context, all []mcp.Tool) []mcp.Tool {
			var kept []mcp.Tool
			for _, tool := range all {
				if tool.Name != hidden {
					kept = append(kept, tool)
				}
			}
			return kept
		})
	}
	n := &tools{}
	s := existing(2, server.WithHooks(hooks), hide("old_01"))
	k := adopt(t, s, n.All())
	hide("calc.add")(s)
	assert.Equal(t, []string{"notes.write", "old_00"}, listedNames(t, k.client(legacy, "alice")))
	assertUnknown(t, handle(t, s, callOf("old_01", `{}`)), "old_01")
	assertUnknown(t, handle(t, s, callOf("calc.add", `{"a":1}`)), "calc.add")
	assert.Equal(t, 1, lists)
	assert.Equal(t, 2, calls)
	assert.NoError(t, mcpgo.Verify(s), "a tool that a filter hides is not missing")
}

func TestRegister_NoToolOfASessionRunsUnderAContractsName(t *testing.T) {
	t.Parallel()
	for _, taken := range []string{"calc.add", "calc.plus", "keys.read"} {
		n := &tools{}
		k := adopt(t, existing(2), n.All())
		x, runs := intruder(taken)
		if taken == "keys.read" { // a forbidden tool is not registered
			require.Nil(t, k.server.GetTool(taken))
		}
		mine := &session{id: "s", tools: map[string]server.ServerTool{taken: x}}
		require.NoError(t, k.server.RegisterSession(t.Context(), mine))
		ctx := k.server.WithContext(t.Context(), mine)
		assert.NotContains(t, listedBy(t, ctx, k.server), taken)
		assertUnknown(t, handleAs(t, ctx, k.server, callOf(taken, `{"a":1}`)), taken)
		assert.Equal(t, []string{"verify.shadowed " + taken}, sdktest.Rules(mcpgo.Verify(k.server)))
		assert.Zero(t, runs.Load())
	}
}

func TestRegister_AllowsNewToolsOfASession(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(1), (&tools{}).All())
	x, _ := intruder("session.tool")
	mine := &session{id: "s", tools: map[string]server.ServerTool{"session.tool": x}}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	assert.Equal(t, []string{"calc.add", "old_00", "session.tool"}, listedBy(t, k.server.WithContext(t.Context(), mine), k.server))
	assert.NoError(t, mcpgo.Verify(k.server))
}

func TestRegister_AContractIsDeferredAsTheToolOfItsName(t *testing.T) {
	t.Parallel()
	s := existing(0)
	x, _ := intruder("calc.add")
	x.Tool.DeferLoading = true
	s.AddTools(x)
	adopt(t, s, (&tools{}).All())
	is, _ := listing(t, handle(t, s, list))
	assert.Contains(t, is["calc.add"], `"defer_loading":true`)
}

func TestRegister_RefusesTasksAndReplacedHooks(t *testing.T) {
	t.Parallel()
	add := (&tools{}).Add().MustBuild()
	task := existing(1)
	task.AddTaskTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context,
		mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return nil, nil
	})
	hybrid := existing(1)
	hybrid.AddTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportOptional)), returning(mcp.NewToolResultText("x"), nil))
	unhooked := existing(1)
	require.NoError(t, mcpgo.Register(unhooked, nil, mcpgo.WithTools(add)))
	server.WithHooks(&server.Hooks{})(unhooked)
	dotted := existing(1)
	dotted.AddTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportOptional)), returning(mcp.NewToolResultText("x"), nil))
	for name, test := range map[string]struct {
		server *server.MCPServer
		naming contract.Naming
		rule   string
	}{
		"a task tool of that name":                         {task, contract.Dotted, "serve.rejected"},
		"a tool that can run as a task":                    {hybrid, contract.Underscore, "serve.task calc.add"},
		"a server whose hooks were replaced":               {unhooked, contract.Underscore, "serve.registered"},
		"a tool of the dotted name that can run as a task": {dotted, contract.Underscore, "serve.task calc.add"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := handle(t, test.server, list)
			rule := sdktest.Rules(mcpgo.Register(test.server, nil, mcpgo.WithNames(test.naming), mcpgo.WithTools(add)))
			require.Len(t, rule, 1)
			assert.Contains(t, rule[0], test.rule)
			assert.Equal(t, before, handle(t, test.server, list), "the server is unchanged")
		})
	}
}

// Two servers can share their hooks.
func TestRegister_DistinguishesServersThatShareHooks(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	one, other := existing(1, server.WithHooks(hooks)), existing(1, server.WithHooks(hooks))
	require.NoError(t, mcpgo.Register(one, nil))
	require.NoError(t, mcpgo.Register(other, nil))
	assert.Equal(t, []string{"serve.registered"}, sdktest.Rules(mcpgo.Register(one, nil)))
	assert.Equal(t, []string{"serve.registered"}, sdktest.Rules(mcpgo.Register(other, nil)))
}
