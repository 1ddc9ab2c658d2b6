package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// adopt returns a kit whose server already exists.
func adopt(t *testing.T, s *mcp.Server, served []*contract.Tool, opts ...gosdk.Option) *kit {
	t.Helper()
	k := newKitOf(t, s)
	require.NoError(t, gosdk.Register(s, k.guard, append(asWritten(gosdk.WithTools(served...)), opts...)...))
	return k
}

// existing returns a server with n plain tools, with definitions of every kind.
func existing(n int) *mcp.Server { return existingWith(n, nil) }

func existingWith(n int, options *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1.0.0"}, options)
	for i := range n {
		name := fmt.Sprintf("old_%02d", i)
		tool := plain(name, `"n":{"type":"number"}`)
		switch i % 4 {
		case 1:
			tool.InputSchema = json.RawMessage(`{"type":"object","x-own":[3,1]}`)
		case 2:
			tool.Meta = mcp.Meta{"ui": "x", contract.MetaKeyContract: "not ours"}
			tool.Icons = []mcp.Icon{{Source: "https://example.com/i.png"}}
		case 3:
			tool.Annotations = &mcp.ToolAnnotations{Title: "T"}
		}
		s.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if i%5 == 4 {
				return nil, fmt.Errorf("old %d failed", i)
			}
			return text(name + " got " + string(r.Params.Arguments)), nil
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

func TestThreat101_ToolsWithoutContractAreUnchanged(t *testing.T) {
	t.Parallel()
	n := &tools{}
	before, after := existing(39), existing(39)
	k := adopt(t, after, n.All())
	was, order := listing(t, handle(t, before, list))
	require.Len(t, order, 39)
	is, _ := listing(t, handle(t, after, list))
	for _, name := range order {
		assert.Equal(t, was[name], is[name])
		for _, arguments := range []string{`{"n":1}`, `{"n":"x"}`, `{}`, `[]`} {
			assert.Equal(t, handle(t, before, callOf(name, arguments)), handle(t, after, callOf(name, arguments)))
		}
	}
	assert.Equal(t, append([]string{"calc.add"}, order...), listedBy(t, after))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		b := newKitOf(t, before)
		body := sdktest.Message(t, e, 1, "tools/list", `{}`)
		was, _ := listing(t, b.post(e, "alice", "tools/list", "", body))
		is, got := listing(t, k.post(e, "alice", "tools/list", "", body))
		assert.Equal(t, append([]string{"calc.add", "notes.write"}, order...), got)
		for name, wire := range was {
			assert.Equal(t, wire, is[name])
			assert.Equal(t, b.call(e, "alice", name, `{"n":7}`), k.call(e, "alice", name, `{"n":7}`))
		}
		assert.JSONEq(t, `{"sum":3}`, string(sdktest.Parse(t, k.call(e, "", "calc.add", `{"a":1,"b":2}`)).Result.StructuredContent))
		sdktest.AssertRefused(t, k.call(e, "bob", "notes.write", `{"text":"x"}`), contract.CodePermissionDenied)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "notes.add", `{"text":"x"}`)).Status)
		assertUnknown(t, k.call(e, "alice", "keys.read", `{}`), "keys.read")
	})
	assert.NoError(t, gosdk.Verify(after))
	for _, event := range k.events(audit.Terminal) {
		assert.NotContains(t, event.Tool, "old_", "calls of plain tools are not audited")
	}
}

func TestRegister_ContractReplacesTheToolOfItsName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := existing(0)
	for _, name := range []string{"calc.add", "calc.plus", "keys.read"} {
		x, h, runs := intruder(name)
		x.Icons = []mcp.Icon{{Source: "https://example.com/" + name}}
		x.Meta = mcp.Meta{"ui": name, contract.MetaKeyContract: "forged"}
		s.AddTool(x, h)
		t.Cleanup(func() { assert.Zero(t, runs.Load()) })
	}
	adopt(t, s, n.All())
	is, order := listing(t, handle(t, s, list))
	assert.Equal(t, []string{"calc.add"}, order)
	var got mcp.Tool
	sdktest.Unmarshal(t, is["calc.add"], &got)
	assert.Equal(t, []mcp.Icon{{Source: "https://example.com/calc.add"}}, got.Icons)
	assert.Equal(t, "calc.add", got.Meta["ui"])
	assert.Equal(t, "low", got.Meta[contract.MetaKeyContract].(map[string]any)["risk"])
	assert.Equal(t, "calc.add", sdktest.Outcome(t, handle(t, s, callOf("calc.plus", `{"a":1}`))).UseName)
	assertUnknown(t, handle(t, s, callOf("keys.read", `{}`)), "keys.read")
	assert.EqualValues(t, 1, n.Adds.Load())
	assert.NoError(t, gosdk.Verify(s))
}

func TestRegister_ContractReplacesTheToolOfItsDottedName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := existing(1)
	for _, name := range []string{"calc.add", "notes.write", "notes_write", "keys.read", "keys_read"} {
		x, h, runs := intruder(name)
		x.Icons = []mcp.Icon{{Source: "https://example.com/" + name}}
		s.AddTool(x, h)
		t.Cleanup(func() { assert.Zero(t, runs.Load()) })
	}
	served := []*contract.Tool{n.Add().Aliases("calc.add").MustBuild(), n.Note(nil).MustBuild(), n.Key().MustBuild()}
	k := adopt(t, s, served, gosdk.WithNames(contract.Underscore))
	assert.NoError(t, gosdk.Verify(s))
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
	later, h, runs := intruder("notes.write")
	s.AddTool(later, h)
	assertUnknown(t, handle(t, s, callOf("notes.write", `{}`)), "notes.write")
	assert.Equal(t, []string{"verify.added notes.write"}, sdktest.Rules(gosdk.Verify(s)))
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
				x, h, runs := intruder(name)
				s.AddTool(x, h)
				t.Cleanup(func() { assert.Zero(t, runs.Load()) })
			}
			adopt(t, s, []*contract.Tool{n.Add().MustBuild()}, gosdk.WithNames(naming))
			for _, name := range forms {
				assert.Equal(t, naming.Listed("calc.add"), sdktest.Outcome(t, handle(t, s, callOf(name, `{"a":1}`))).UseName,
					"the contract replaced the tool")
			}
			for _, name := range forms {
				x, h, runs := intruder(name)
				s.AddTool(x, h)
				assertUnknown(t, handle(t, s, callOf(name, `{"a":1}`)), name)
				assert.Zero(t, runs.Load())
			}
			assert.Equal(t, []string{"verify.replaced calc.plus", "verify.replaced calc_plus"}, sdktest.Rules(gosdk.Verify(s)))
		})
	}
}

func TestAlias_StopsWorkingWithItsTool(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*mcp.Server){
		"removed": func(s *mcp.Server) { s.RemoveTools("calc.add") },
		"replaced": func(s *mcp.Server) {
			x, h, _ := intruder("calc.add")
			s.AddTool(x, h)
		},
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
	x, h, _ := intruder("calc.add")
	x.Meta = mcp.Meta{"ui": "x", contract.MetaKeyContract: "forged"}
	s.AddTool(x, h)
	adopt(t, s, []*contract.Tool{(&tools{}).Add().MustBuild()}, gosdk.WithTier(contract.TierHints))
	var got struct {
		Meta map[string]any `json:"_meta"`
	}
	is, _ := listing(t, handle(t, s, list))
	sdktest.Unmarshal(t, is["calc.add"], &got)
	assert.Equal(t, map[string]any{"ui": "x"}, got.Meta)
}

func TestRegister_NoOtherToolRunsUnderAContractsName(t *testing.T) {
	t.Parallel()
	for taken, rule := range map[string]string{"calc.add": "verify.replaced calc.add", "calc.plus": "verify.replaced calc.plus",
		"keys.read": "verify.added keys.read"} {
		n := &tools{}
		k := adopt(t, existing(2), n.All())
		x, h, runs := intruder(taken)
		k.server.AddTool(x, h)
		assert.NotContains(t, listedBy(t, k.server), taken)
		assertUnknown(t, handle(t, k.server, callOf(taken, `{"a":1}`)), taken)
		assert.Equal(t, []string{rule}, sdktest.Rules(gosdk.Verify(k.server)))
		assert.Zero(t, runs.Load())
	}
}

func TestRegister_AllowsNewTools(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(1), (&tools{}).All())
	x, h, runs := intruder("other.tool")
	k.server.AddTool(x, h)
	assert.Equal(t, []string{"calc.add", "old_00", "other.tool"}, listedBy(t, k.server))
	handle(t, k.server, callOf("other.tool", `{}`))
	assert.EqualValues(t, 1, runs.Load())
	assert.NoError(t, gosdk.Verify(k.server))
	k.server.RemoveTools("calc.add")
	assert.Equal(t, []string{"verify.missing calc.add"}, sdktest.Rules(gosdk.Verify(k.server)))
	assertUnknown(t, handle(t, k.server, callOf("calc.add", `{"a":1}`)), "calc.add")
}

func TestClosedWorld_HidesTheToolsOfAnExistingServer(t *testing.T) {
	t.Parallel()
	k := adopt(t, existing(3), (&tools{}).All(), gosdk.WithClosedWorld())
	assert.Equal(t, []string{"calc.add"}, listedBy(t, k.server))
	assertUnknown(t, handle(t, k.server, callOf("old_00", `{}`)), "old_00")
	assert.Equal(t, []string{"verify.added old_00", "verify.added old_01", "verify.added old_02"},
		sdktest.Rules(gosdk.Verify(k.server)))
}

func TestRegister_PagesOfAnExistingServer(t *testing.T) {
	t.Parallel()
	k := adopt(t, existingWith(5, &mcp.ServerOptions{PageSize: 2}), (&tools{}).All())
	for _, token := range []string{"", "alice"} {
		var all []string
		for tool, err := range k.client(legacy, token).Tools(t.Context(), nil) {
			require.NoError(t, err)
			all = append(all, tool.Name)
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
	twice := existing(1)
	require.NoError(t, gosdk.Register(twice, nil, gosdk.WithTools(add)))
	made, err := gosdk.NewServer("a", "1", nil, gosdk.WithTools(add))
	require.NoError(t, err)
	empty := existing(0)
	require.NoError(t, gosdk.Register(empty, nil))
	for name, test := range map[string]struct {
		server *mcp.Server
		opts   []gosdk.Option
		rule   string
	}{
		"no server":    {nil, nil, "serve.server"},
		"a nil option": {existing(1), []gosdk.Option{nil}, "serve.option"},
		"options of the SDK": {existing(1), []gosdk.Option{gosdk.WithServerOptions(mcp.ServerOptions{})},
			"serve.option"},
		"an unknown naming": {existing(1), []gosdk.Option{gosdk.WithNames(7)}, "serve.names"},
		"an unknown tier":   {existing(1), []gosdk.Option{gosdk.WithTier(7)}, "serve.tier"},
		"an address that is none": {existing(1), []gosdk.Option{gosdk.WithResourceMetadata("notes")},
			"serve.resourceMetadata"},
		"a tool that needs a principal": {existing(1), []gosdk.Option{gosdk.WithTools(n.Note(nil).MustBuild())},
			"protect.principal"},
		"a server with contracts":           {twice, nil, "serve.registered"},
		"a server made by NewServer":        {made, nil, "serve.registered"},
		"a server registered without tools": {empty, nil, "serve.registered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before string
			if test.server != nil {
				before = handle(t, test.server, list)
			}
			rule := sdktest.Rules(gosdk.Register(test.server, nil, append(test.opts, gosdk.WithTools(add))...))
			require.Len(t, rule, 1)
			assert.Contains(t, rule[0], test.rule)
			if test.server != nil {
				assert.Equal(t, before, handle(t, test.server, list), "the server is unchanged")
			}
		})
	}
	_, err = gosdk.NewServer("", "", nil, gosdk.WithTools(nil))
	assert.Equal(t, []string{"serve.name", "serve.version"}, sdktest.Rules(err))
	_, err = gosdk.NewServer("a", "1", nil, gosdk.WithServerOptions(mcp.ServerOptions{PageSize: -1}))
	assert.Equal(t, []string{"serve.rejected"}, sdktest.Rules(err))
	g, err := guard.New(guard.WithSealingKeys(make([]byte, 32)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	assert.Equal(t, []string{"serve.name"}, sdktest.Rules(gosdk.Register(mcp.NewServer(&mcp.Implementation{}, nil), g,
		gosdk.WithTools(add))))
	table, err := gosdk.NewTable("kit", "1.0.0", nil, gosdk.WithTools(add))
	require.NoError(t, err)
	assert.Equal(t, []string{"serve.name"}, sdktest.Rules(table.Register(existing(1))), "another name")
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(table.Register(nil)))
}

func TestRegister_WithoutToolsChangesNothing(t *testing.T) {
	t.Parallel()
	before, after := existing(4), existing(4)
	require.NoError(t, gosdk.Register(after, nil))
	assert.Equal(t, handle(t, before, list), handle(t, after, list))
	assert.NoError(t, gosdk.Verify(after))
}

func TestVerify_FindsADefinitionThatWasChanged(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	k.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if r, ok := result.(*mcp.ListToolsResult); ok {
				r.Tools[0].Description = "Changed."
			}
			return result, err
		}
	})
	handle(t, k.server, list)
	assert.Equal(t, []string{"verify.changed calc.add"}, sdktest.Rules(gosdk.Verify(k.server)))
	assert.Equal(t, []string{"verify.server"}, sdktest.Rules(gosdk.Verify(nil)))
	assert.Equal(t, []string{"verify.server"}, sdktest.Rules(gosdk.Verify(existing(1))))
}

// A program can make a server for each request, and none of them stays.
func TestTable_KeepsNoServer(t *testing.T) {
	t.Parallel()
	table, err := gosdk.NewTable("kit", "1.0.0", nil, gosdk.WithTools((&tools{}).Add().MustBuild()))
	require.NoError(t, err)
	gone := make(chan struct{})
	func() {
		s, err := table.NewServer()
		require.NoError(t, err)
		require.NoError(t, gosdk.Verify(s))
		runtime.AddCleanup(s, func(done chan struct{}) { close(done) }, gone)
	}()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("the server stays in memory")
}
