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

// assertUntouched asserts that tools without a contract are listed and answer
// calls as before.
func assertUntouched(t *testing.T, before, after *server.MCPServer, names []string) {
	t.Helper()
	was, _ := listing(t, handle(t, before, list))
	is, _ := listing(t, handle(t, after, list))
	for _, name := range names {
		assert.Equal(t, was[name], is[name])
		for _, arguments := range []string{`{"n":1}`, `{"n":"x"}`, `{}`, `[]`} {
			assert.Equal(t, handle(t, before, callOf(name, arguments)), handle(t, after, callOf(name, arguments)))
		}
	}
}

func TestThreat101_ToolsWithoutContractAreUnchanged(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]server.ServerOption{
		"a plain server":      nil,
		"with hooks":          {server.WithHooks(&server.Hooks{})},
		"with strict schemas": {server.WithStrictInputSchemaDefault(), server.WithInputSchemaValidation()},
		"with recovery":       {server.WithRecovery(), server.WithToolCapabilities(true)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &tools{}
			before, after := existing(39, opts...), existing(39, opts...)
			if name == "with hooks" { // hooks cannot be shared between the two
				after = existing(39, server.WithHooks(&server.Hooks{}))
			}
			k := adopt(t, after, n.All())
			_, order := listing(t, handle(t, before, list))
			require.Len(t, order, 39)
			assertUntouched(t, before, after, order)
			assert.Equal(t, append([]string{"calc.add"}, order...), listedBy(t, t.Context(), after))
			sdktest.EachEra(t, func(t *testing.T, e era) {
				b := &kit{t: t, server: before}
				b.serveHTTP()
				body := sdktest.Message(t, e, 1, "tools/list", `{}`)
				was, _ := listing(t, b.post(e, "alice", "tools/list", "", body))
				is, got := listing(t, k.post(e, "alice", "tools/list", "", body))
				assert.Equal(t, append([]string{"calc.add", "notes.write"}, order...)[1:], got[1:])
				for name, wire := range was {
					assert.Equal(t, wire, is[name])
					assert.Equal(t, b.call(e, "alice", name, `{"n":7}`), k.call(e, "alice", name, `{"n":7}`))
				}
				assert.JSONEq(t, `{"sum":3}`, string(sdktest.Parse(t, k.call(e, "", "calc.add", `{"a":1,"b":2}`)).Result.StructuredContent))
				sdktest.AssertRefused(t, k.call(e, "bob", "notes.write", `{"text":"x"}`), contract.CodePermissionDenied)
				assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "notes.add", `{"text":"x"}`)).Status)
				assertUnknown(t, k.call(e, "alice", "keys.read", `{}`), "keys.read")
			})
			assert.NoError(t, mcpgo.Verify(after))
			for _, event := range k.events(audit.Terminal) {
				assert.NotContains(t, event.Tool, "old_", "calls of plain tools are not audited")
			}
		})
	}
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

func TestRegister_ContractReplacesTheToolOfItsName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := existing(0)
	for _, name := range []string{"calc.add", "calc.plus", "keys.read"} {
		x, runs := intruder(name)
		x.Tool.Icons = []mcp.Icon{{Src: "https://example.com/" + name}}
		x.Tool.Meta = mcp.NewMetaFromMap(map[string]any{"ui": name, contract.MetaKeyContract: "forged"})
		x.Tool.DeferLoading = true
		s.AddTools(x)
		t.Cleanup(func() { assert.Zero(t, runs.Load()) })
	}
	adopt(t, s, n.All())
	is, order := listing(t, handle(t, s, list))
	assert.Equal(t, []string{"calc.add"}, order)
	var got mcp.Tool
	sdktest.Unmarshal(t, is["calc.add"], &got)
	assert.Equal(t, []mcp.Icon{{Src: "https://example.com/calc.add"}}, got.Icons)
	assert.Contains(t, is["calc.add"], `"defer_loading":true`)
	assert.Equal(t, "calc.add", got.Meta.AdditionalFields["ui"])
	assert.Equal(t, "low", got.Meta.AdditionalFields[contract.MetaKeyContract].(map[string]any)["risk"])
	assert.Equal(t, "calc.add", sdktest.Outcome(t, handle(t, s, callOf("calc.plus", `{"a":1}`))).UseName)
	assertUnknown(t, handle(t, s, callOf("keys.read", `{}`)), "keys.read")
	assert.EqualValues(t, 1, n.Adds.Load())
	assert.NoError(t, mcpgo.Verify(s))
}

func TestRegister_ContractReplacesTheToolOfItsDottedName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := existing(1)
	for _, name := range []string{"calc.add", "notes.write", "notes_write", "keys.read", "keys_read"} {
		x, runs := intruder(name)
		x.Tool.Icons = []mcp.Icon{{Src: "https://example.com/" + name}}
		s.AddTools(x)
		t.Cleanup(func() { assert.Zero(t, runs.Load()) })
	}
	served := []*contract.Tool{n.Add().Aliases("calc.add").MustBuild(), n.Note(nil).MustBuild(), n.Key().MustBuild()}
	k := adopt(t, s, served, mcpgo.WithNames(contract.Underscore))
	assert.NoError(t, mcpgo.Verify(s))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		is, order := listing(t, k.post(e, "alice", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`)))
		assert.Equal(t, []string{"calc_add", "notes_write", "old_00"}, order)
		assert.Contains(t, is["calc_add"], "https://example.com/calc.add", "the contract inherits from the tool of the dotted name")
		assert.Contains(t, is["notes_write"], "https://example.com/notes_write", "the tool of the listed name takes precedence")
		for _, gone := range []string{"notes.write", "keys.read", "keys_read"} {
			assertUnknown(t, k.call(e, "alice", gone, `{}`), gone)
		}
		assert.Equal(t, "calc_add", sdktest.Outcome(t, k.call(e, "", "calc.add", `{"a":1}`)).UseName, "an alias is not renamed")
	})
	later, runs := intruder("notes.write")
	s.AddTools(later)
	assertUnknown(t, handle(t, s, callOf("notes.write", `{}`)), "notes.write")
	assert.Equal(t, []string{"verify.added notes.write"}, sdktest.Rules(mcpgo.Verify(s)))
	assert.Zero(t, runs.Load())
}

func TestRegister_ReservesAliasesInEitherForm(t *testing.T) {
	t.Parallel()
	for _, naming := range []contract.Naming{contract.Underscore, contract.Dotted} {
		t.Run(naming.String(), func(t *testing.T) {
			t.Parallel()
			n := &tools{}
			s := existing(0)
			forms := []string{"calc.plus", "calc_plus"}
			for _, name := range forms {
				x, runs := intruder(name)
				s.AddTools(x)
				t.Cleanup(func() { assert.Zero(t, runs.Load()) })
			}
			adopt(t, s, []*contract.Tool{n.Add().MustBuild()}, mcpgo.WithNames(naming))
			for _, name := range forms {
				assert.Equal(t, naming.Listed("calc.add"), sdktest.Outcome(t, handle(t, s, callOf(name, `{"a":1}`))).UseName,
					"the contract replaced the tool")
			}
			for _, name := range forms {
				x, runs := intruder(name)
				s.AddTools(x)
				assertUnknown(t, handle(t, s, callOf(name, `{"a":1}`)), name)
				assert.Zero(t, runs.Load())
			}
			assert.Equal(t, []string{"verify.replaced calc.plus", "verify.replaced calc_plus"}, sdktest.Rules(mcpgo.Verify(s)))
		})
	}
}

func TestAlias_StopsWorkingWithItsTool(t *testing.T) {
	t.Parallel()
	x, _ := intruder("calc.add")
	for name, remove := range map[string]func(*server.MCPServer){
		"deleted":  func(s *server.MCPServer) { s.DeleteTools("calc.add") },
		"replaced": func(s *server.MCPServer) { s.AddTools(x) },
	} {
		for world, serve := range map[string]func(*testing.T, *tools) *kit{
			"closed": func(t *testing.T, n *tools) *kit { return newKit(t, n.All()) },
			"open":   func(t *testing.T, n *tools) *kit { return adopt(t, existing(1), n.All()) },
		} {
			t.Run(name+" in a world that is "+world, func(t *testing.T) {
				t.Parallel()
				n := &tools{}
				k := serve(t, n)
				remove(k.server)
				assertUnknown(t, handle(t, k.server, callOf("calc.plus", `{"a":1}`)), "calc.plus")
				assert.Zero(t, n.Adds.Load())
			})
		}
	}
}

func TestRegister_HintsTierPreservesOtherMeta(t *testing.T) {
	t.Parallel()
	s := existing(0)
	x, _ := intruder("calc.add")
	x.Tool.Meta = mcp.NewMetaFromMap(map[string]any{"ui": "x", contract.MetaKeyContract: "forged"})
	s.AddTools(x)
	adopt(t, s, []*contract.Tool{(&tools{}).Add().MustBuild()}, mcpgo.WithTier(contract.TierHints))
	var got struct {
		Meta map[string]any `json:"_meta"`
	}
	is, _ := listing(t, handle(t, s, list))
	sdktest.Unmarshal(t, is["calc.add"], &got)
	assert.Equal(t, map[string]any{"ui": "x"}, got.Meta)
}

func TestRegister_NoOtherToolRunsUnderAContractsName(t *testing.T) {
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

		k.server.AddTools(x)
		assert.NotContains(t, listedBy(t, t.Context(), k.server), taken)
		assertUnknown(t, handle(t, k.server, callOf(taken, `{"a":1}`)), taken)
		assert.Contains(t, sdktest.Rules(mcpgo.Verify(k.server)), map[bool]string{true: "verify.added keys.read",
			false: "verify.replaced " + taken}[taken == "keys.read"])
		assert.Zero(t, runs.Load())
	}
}

func TestRegister_AllowsNewTools(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(1), (&tools{}).All())
	x, runs := intruder("other.tool")
	k.server.AddTools(x)
	y, _ := intruder("session.tool")
	mine := &session{id: "s", tools: map[string]server.ServerTool{"session.tool": y}}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	ctx := k.server.WithContext(t.Context(), mine)
	assert.Equal(t, []string{"calc.add", "old_00", "other.tool", "session.tool"}, listedBy(t, ctx, k.server))
	handle(t, k.server, callOf("other.tool", `{}`))
	assert.EqualValues(t, 1, runs.Load())
	assert.NoError(t, mcpgo.Verify(k.server))
	k.server.DeleteTools("calc.add")
	assert.Equal(t, []string{"verify.missing calc.add"}, sdktest.Rules(mcpgo.Verify(k.server)))
	assertUnknown(t, handle(t, k.server, callOf("calc.add", `{"a":1}`)), "calc.add")
}

func TestClosedWorld_HidesTheToolsOfAnExistingServer(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(3), (&tools{}).All(), mcpgo.WithClosedWorld())
	assert.Equal(t, []string{"calc.add"}, listedBy(t, t.Context(), k.server))
	assertUnknown(t, handle(t, k.server, callOf("old_00", `{}`)), "old_00")
	assert.Equal(t, []string{"verify.added old_00", "verify.added old_01", "verify.added old_02"},
		sdktest.Rules(mcpgo.Verify(k.server)))
}

func TestRegister_PagesOfAnExistingServer(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(5, server.WithPaginationLimit(2)), (&tools{}).All())
	for _, token := range []string{"", "alice"} {
		var all []string
		c, cursor := k.client(legacy, token), mcp.Cursor("")
		for {
			page, err := c.ListToolsByPage(t.Context(),
				mcp.ListToolsRequest{PaginatedRequest: mcp.PaginatedRequest{Params: mcp.PaginatedParams{Cursor: cursor}}})
			require.NoError(t, err)
			all = append(all, names(page.Tools)...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		want := []string{"calc.add", "old_00", "old_01", "old_02", "old_03", "old_04"}
		if token == "alice" {
			want = append([]string{"calc.add", "notes.write"}, want[1:]...)
		}
		assert.Equal(t, want, all)
	}
}

func TestRegister_RefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	n := &tools{}
	add := n.Add().MustBuild()
	task := existing(1)
	task.AddTaskTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context,
		mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return nil, nil
	})
	hybrid := existing(1)
	hybrid.AddTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportOptional)), returning(mcp.NewToolResultText("x"), nil))
	twice := existing(1)
	require.NoError(t, mcpgo.Register(twice, nil, mcpgo.WithTools(add)))
	made, err := mcpgo.NewServer("a", "1", nil, mcpgo.WithTools(add))
	require.NoError(t, err)
	empty, closed := server.NewMCPServer("old", "1.0.0"), existing(1)
	require.NoError(t, mcpgo.Register(empty, nil))
	require.NoError(t, mcpgo.Register(closed, nil, mcpgo.WithClosedWorld()))
	forbidding := existing(1)
	require.NoError(t, mcpgo.Register(forbidding, anyGuard(t), mcpgo.WithTools(n.Key().MustBuild())))
	unhooked := existing(1)
	require.NoError(t, mcpgo.Register(unhooked, nil, mcpgo.WithTools(add)))
	server.WithHooks(&server.Hooks{})(unhooked)
	dotted := existing(1)
	dotted.AddTool(mcp.NewTool("calc.add", mcp.WithTaskSupport(mcp.TaskSupportOptional)), returning(mcp.NewToolResultText("x"), nil))
	for name, test := range map[string]struct {
		server *server.MCPServer
		opts   []mcpgo.Option
		rule   string
	}{
		"no server":    {nil, nil, "serve.server"},
		"a nil option": {existing(1), []mcpgo.Option{nil}, "serve.option"},
		"options of mcp-go": {existing(1),
			[]mcpgo.Option{mcpgo.WithServerOptions(server.WithRecovery())}, "serve.option"},
		"an unknown naming": {existing(1), []mcpgo.Option{mcpgo.WithNames(7)}, "serve.names"},
		"a tool that needs a principal": {existing(1), []mcpgo.Option{mcpgo.WithTools(n.Note(nil).MustBuild())},
			"protect.principal"},
		"a task tool of that name":           {task, []mcpgo.Option{mcpgo.WithNames(contract.Dotted)}, "serve.rejected"},
		"a tool that can run as a task":      {hybrid, nil, "serve.task calc.add"},
		"a server with contracts":            {twice, nil, "serve.registered"},
		"a server made by NewServer":         {made, nil, "serve.registered"},
		"a server registered without tools":  {empty, nil, "serve.registered"},
		"a server with a closed world":       {closed, nil, "serve.registered"},
		"a server with a forbidden name":     {forbidding, nil, "serve.registered"},
		"a server whose hooks were replaced": {unhooked, nil, "serve.registered"},
		"a tool of the dotted name that can run as a task": {dotted, []mcpgo.Option{mcpgo.WithNames(contract.Underscore)},
			"serve.task calc.add"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before string
			if test.server != nil {
				before = handle(t, test.server, list)
			}
			rule := sdktest.Rules(mcpgo.Register(test.server, nil, append(test.opts, mcpgo.WithTools(add))...))
			require.Len(t, rule, 1)
			assert.Contains(t, rule[0], test.rule)
			if test.server != nil {
				assert.Equal(t, before, handle(t, test.server, list), "the server is unchanged")
			}
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

func TestRegister_WithoutToolsChangesNothing(t *testing.T) {
	t.Parallel()
	before, after := existing(4), existing(4)
	require.NoError(t, mcpgo.Register(after, nil))
	assert.Equal(t, handle(t, before, list), handle(t, after, list))
	assert.NoError(t, mcpgo.Verify(after))
}
