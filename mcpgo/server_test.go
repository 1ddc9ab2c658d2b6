package mcpgo_test

import (
	"context"
	"encoding/json"
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
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func withHeader(schema string) *contract.Builder[sdktest.AddIn, addOut] {
	return (&tools{}).Add().InputSchema(json.RawMessage(schema))
}

func TestNewServer_ReportsMistakes(t *testing.T) {
	t.Parallel()
	const header = `{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"A"}},"required":["a"],` +
		`"additionalProperties":false}`
	const badHeader = `{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"A B"}},"required":["a"],` +
		`"additionalProperties":false}`
	add := func() *contract.Tool { return (&tools{}).Add().MustBuild() }
	options := func(o ...mcpgo.Option) []mcpgo.Option { return o }
	for name, test := range map[string]struct {
		server  string
		options []mcpgo.Option
		want    []string
	}{
		"a server without a name": {"", nil, []string{"serve.name"}},
		"a nil option":            {"s", options(nil), []string{"serve.option"}},
		"an unknown tier":         {"s", options(mcpgo.WithTier(3)), []string{"serve.tier"}},
		"a nil option of mcp-go": {
			"s", options(mcpgo.WithServerOptions(server.WithRecovery(), nil)), []string{"serve.option"},
		},
		"an option of mcp-go that panics": {
			"s", options(mcpgo.WithServerOptions(func(*server.MCPServer) { panic("boom") })), []string{"serve.rejected"},
		},
		"the server author's task tool under a contract's name": {
			"s", options(mcpgo.WithTools(add()), mcpgo.WithServerOptions(func(s *server.MCPServer) {
				s.AddTaskTool(mcp.NewTool("calc_add", mcp.WithTaskSupport(mcp.TaskSupportRequired)), nil)
			})), []string{"serve.rejected"},
		},
		"a nil tool":     {"s", options(mcpgo.WithTools(nil)), []string{"protect.nil"}},
		"one tool twice": {"s", options(mcpgo.WithTools(add()), mcpgo.WithTools(add())), []string{"protect.duplicate calc.add"}},
		"an alias twice": {"s", options(mcpgo.WithTools(add(), contract.New("calc.sum", func(context.Context, sdktest.AddIn) (addOut,
			error) {
			return addOut{}, nil
		}).Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("calc.plus").MustBuild())),
			[]string{"protect.duplicate calc.sum"}},
		"an x-mcp-header": {"s", options(mcpgo.WithTools(withHeader(header).MustBuild())), []string{"serve.header calc.add"}},
		"an x-mcp-header that mcp-go rejects": {
			"s", options(mcpgo.WithTools(withHeader(badHeader).MustBuild())), []string{"serve.header calc.add", "serve.header calc.add"},
		},
		"a tool that needs a principal, without a guard": {
			"s", options(mcpgo.WithTools((&tools{}).Note(nil).MustBuild())), []string{"protect.principal notes.write"},
		},
		"several mistakes at once": {
			"", options(nil, mcpgo.WithTier(9)), []string{"serve.name", "serve.option", "serve.tier"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := mcpgo.NewServer(test.server, "1.0.0", nil, test.options...)
			require.Nil(t, s)
			require.NotEmpty(t, contract.DeclarationErrors(err))
			assert.Equal(t, test.want, sdktest.Rules(err))
			for _, e := range contract.DeclarationErrors(err) {
				assert.NotEmpty(t, e.Message)
				assert.NotEmpty(t, e.Remedy)
			}
		})
	}
}

func TestServeStdio_ReportsMistakesBeforeItServes(t *testing.T) {
	t.Parallel()
	err := mcpgo.ServeStdio("s", "", nil, mcpgo.WithTools(nil))
	require.Equal(t, []string{"serve.version"}, sdktest.Rules(err))
}

func TestNewServer_NilGuardServesAnonymousCallers(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s, err := mcpgo.NewServer("s", "1.0.0", nil, asWritten(mcpgo.WithTools(n.Add().MustBuild()))...)
	require.NoError(t, err)
	raw := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calc.add","arguments":{"a":1,"b":2}}}`)
	assert.JSONEq(t, `{"sum":3}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
	assert.EqualValues(t, 1, n.Adds.Load())
}

func TestNewServer_WithoutToolsListsNone(t *testing.T) {
	t.Parallel()
	s, err := mcpgo.NewServer("s", "1.0.0", nil)
	require.NoError(t, err)
	raw := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, raw)
}

// The server author's own hooks still run, for lists and for calls.
func TestNewServer_PreservesHooks(t *testing.T) {
	t.Parallel()
	var seen []string
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		seen = append(seen, fmt.Sprint("list ", len(r.Tools)))
	})
	hooks.AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) { seen = append(seen, "call "+r.Params.Name) })
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, _ any, err error) { seen = append(seen, "error") })
	n := &tools{}
	k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithHooks(hooks)))
	require.Same(t, hooks, k.server.GetHooks())

	assert.Equal(t, []string{"calc.add"}, listedNames(t, k.client(legacy, "")))
	k.call(legacy, "", "calc.plus", `{"a":1}`)
	k.call(legacy, "", "nothing", `{}`)
	assert.Equal(t, []string{"list 2", "call calc.plus", "call nothing", "error"}, seen)
}

func TestNewServer_SharedHooksServeEachServerItsOwnTools(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	n := &tools{}
	first := newKit(t, []*contract.Tool{n.Add().MustBuild()}, mcpgo.WithServerOptions(server.WithHooks(hooks)))
	second := newKit(t, []*contract.Tool{n.Note(nil).MustBuild()}, mcpgo.WithServerOptions(server.WithHooks(hooks),
		server.WithPaginationLimit(1)))

	assert.Equal(t, []string{"calc.add"}, listedNames(t, first.client(modern, "alice")))
	assert.Equal(t, []string{"notes.write"}, listedNames(t, second.client(modern, "alice")))
	first.call(modern, "", "nothing", `{}`)
	assert.Len(t, first.events(audit.Terminal), 1)
	assert.Empty(t, second.events(audit.Terminal))
}

func TestNewServer_ToolsAndServerOptionsAddUp(t *testing.T) {
	t.Parallel()
	n := &tools{}
	limit := server.WithPaginationLimit(1)
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("s", "1.0.0", g,
		mcpgo.WithTools(n.Add().MustBuild()), mcpgo.WithServerOptions(server.WithInstructions("Add.")),
		mcpgo.WithTools(n.Note(nil).MustBuild()), mcpgo.WithServerOptions(limit))
	require.NoError(t, err)
	assert.Len(t, s.ListTools(), 6, "two tools, and both forms of their aliases")
	raw := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	assert.NotEmpty(t, sdktest.Parse(t, raw).Result.NextCursor)
	raw = handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"c","version":"1"}}}`)
	var initialized struct {
		Result struct{ Instructions string }
	}
	require.NoError(t, json.Unmarshal([]byte(raw), &initialized))
	assert.Equal(t, "Add.", initialized.Result.Instructions)
}
