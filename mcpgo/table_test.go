package mcpgo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func newTable(t *testing.T, opts ...mcpgo.Option) *mcpgo.Table {
	t.Helper()
	table, err := mcpgo.NewTable("kit", "1.0.0", nil, asWritten(opts...)...)
	require.NoError(t, err)
	return table
}

// made returns a server that the table makes.
func made(t *testing.T, table *mcpgo.Table) *server.MCPServer {
	t.Helper()
	s, err := table.NewServer()
	require.NoError(t, err)
	return s
}

// registered returns a server that the table is registered with.
func registered(t *testing.T, table *mcpgo.Table, s *server.MCPServer) *server.MCPServer {
	t.Helper()
	require.NoError(t, table.Register(s))
	return s
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestTable_ServersShareLimitsAndCursors(t *testing.T) {
	t.Parallel()
	n := &tools{}
	page := server.WithPaginationLimit(1)
	limited := []*contract.Tool{n.Add().RateLimit(2, time.Hour).MustBuild(), reader("notes.list").MustBuild()}
	table := newTable(t, mcpgo.WithTools(limited...))
	serve := func() *server.MCPServer { return registered(t, table, server.NewMCPServer("kit", "1.0.0", page)) }

	call := sdktest.Call(1, "calc.add", `{"a":1}`)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handle(t, serve(), call)).Status)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handle(t, made(t, table), call)).Status)
	sdktest.AssertRefused(t, handle(t, serve(), call), contract.CodeRateLimitExceeded)
	assert.Equal(t, int64(2), n.Adds.Load())

	first := sdktest.Parse(t, handle(t, serve(), listTools)).Result
	second := sdktest.Parse(t, handle(t, serve(), `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"`+
		first.NextCursor+`"}}`)).Result
	require.Len(t, second.Tools, 1)
	assert.NotEqual(t, first.Tools, second.Tools)
}

// What happens to the tools of one server of a table does not change another.
func TestTable_ServersKeepTheirOwnTools(t *testing.T) {
	t.Parallel()
	n := &tools{}
	table := newTable(t, mcpgo.WithTools(n.Add().MustBuild()))
	one, other := made(t, table), made(t, table)
	before := handle(t, other, listTools)

	with := server.NewMCPServer("kit", "1.0.0")
	old := mcp.NewTool("calc.add")
	old.Icons = []mcp.Icon{{Src: "https://example.com/i.png"}}
	with.AddTool(old, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("old"), nil
	})
	require.NoError(t, table.Register(with))
	require.NoError(t, mcpgo.Verify(with))
	for _, name := range []string{"calc.add", "calc.plus"} {
		assert.Equal(t, old.Icons, with.GetTool(name).Tool.Icons)
		assert.Empty(t, other.GetTool(name).Tool.Icons)
	}

	require.NoError(t, mcpgo.Replace(one, reader("notes.list").MustBuild()))
	assertUnknown(t, handle(t, one, sdktest.Call(1, "calc.add", `{"a":1}`)), "calc.add")
	assert.Equal(t, before, handle(t, other, listTools))
	require.NoError(t, mcpgo.Verify(other))
	for _, name := range []string{"calc.add", "calc.plus"} {
		for _, s := range []*server.MCPServer{other, with} {
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handle(t, s, sdktest.Call(1, name, `{"a":1}`))).Status)
		}
	}
}

// A tool of one server of a table is a stranger on the others, although its
// definition is the same.
func TestTable_ServerRefusesTheToolOfAnother(t *testing.T) {
	t.Parallel()
	n := &tools{}
	table := newTable(t, mcpgo.WithTools(n.Add().MustBuild()))
	one, other := made(t, table), made(t, table)
	moved := one.GetTool("calc.add")
	other.AddTool(moved.Tool, moved.Handler)
	assertUnknown(t, handle(t, other, sdktest.Call(1, "calc.add", `{"a":1}`)), "calc.add")
	assert.Equal(t, []string{"verify.replaced calc.add"}, sdktest.Rules(mcpgo.Verify(other)))
	assert.Zero(t, n.Adds.Load())
}

func TestTable_ServersMayHaveTheSameHooks(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{OnBeforeListTools: make([]server.OnBeforeListToolsFunc, 0, 8)}
	lists := map[string]int{}
	counting := func(name string) server.OnBeforeListToolsFunc {
		return func(context.Context, any, *mcp.ListToolsRequest) { lists[name]++ }
	}
	hooks.AddBeforeListTools(counting("shared"))
	table := newTable(t, mcpgo.WithTools((&tools{}).Add().MustBuild()), mcpgo.WithServerOptions(server.WithHooks(hooks)))
	plain := newTable(t, mcpgo.WithTools((&tools{}).Add().MustBuild()))
	servers := map[string]*server.MCPServer{
		"made": made(t, table), "made again": made(t, table),
		"registered": registered(t, plain, server.NewMCPServer("kit", "1.0.0", server.WithHooks(hooks))),
	}
	for name, s := range servers {
		s.GetHooks().AddBeforeListTools(counting(name))
	}
	for _, s := range servers {
		assert.Len(t, sdktest.Parse(t, handle(t, s, listTools)).Result.Tools, 1)
	}
	assert.Equal(t, map[string]int{"shared": 3, "made": 1, "made again": 1, "registered": 1}, lists)
	assert.Len(t, hooks.OnBeforeListTools, 1, "the hooks do not grow with each server")
	assert.Empty(t, hooks.OnError)
}

func TestTable_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	_, err := mcpgo.NewTable("", "", nil, nil)
	assert.Equal(t, []string{"serve.name", "serve.version", "serve.option"}, sdktest.Rules(err))
	table := newTable(t, mcpgo.WithTools((&tools{}).Add().MustBuild()))
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(table.Register(nil)))
	assert.Equal(t, []string{"serve.name"}, sdktest.Rules(table.Register(existing(0))), "another name")
	assert.Equal(t, []string{"serve.registered"}, sdktest.Rules(table.Register(made(t, table))))
	with := newTable(t, mcpgo.WithServerOptions(server.WithLogging()))
	assert.Equal(t, []string{"serve.option"}, sdktest.Rules(with.Register(server.NewMCPServer("kit", "1.0.0"))))
	broken := newTable(t, mcpgo.WithServerOptions(func(*server.MCPServer) { panic("no") }))
	_, err = broken.NewServer()
	assert.Equal(t, []string{"serve.rejected"}, sdktest.Rules(err))
}

// Requests that come at once each get a server, and none of them is kept.
func TestTable_MakesServersAtOnceAndKeepsNone(t *testing.T) {
	t.Parallel()
	n := &tools{}
	table := newTable(t, mcpgo.WithTools(n.Add().MustBuild()))
	const servers = 8
	gone := make(chan struct{}, servers)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := table.NewServer()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		runtime.AddCleanup(s, func(done chan struct{}) { done <- struct{}{} }, gone)
		h, err := mcpgo.HandlerOf(s, server.WithStateLess(true))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	var calls sync.WaitGroup
	for range servers {
		calls.Go(func() {
			body := sdktest.Message(t, modern, 1, "tools/call", `{"name":"calc.add","arguments":{"a":1}}`)
			answer := sdktest.Post(t, web.URL+"/mcp", modern, "", "tools/call", "calc.add", body)
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, answer.Body).Status)
		})
	}
	calls.Wait()
	assert.Equal(t, int64(servers), n.Adds.Load())
	require.Eventually(t, func() bool { runtime.GC(); return len(gone) == servers }, time.Minute, 10*time.Millisecond)
}
