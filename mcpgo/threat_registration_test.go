package mcpgo_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// Task mode would bypass the guard, because mcp-go runs task tools without
// middleware and without a check of their results. A contract cannot declare
// it. Task tools that are registered next to contracts are hidden, not run, and
// named by Verify.
func TestThreat08_TaskToolsAreHiddenAndNotRun(t *testing.T) {
	t.Parallel()
	for _, support := range []mcp.TaskSupport{mcp.TaskSupportOptional, mcp.TaskSupportRequired} {
		n := &tools{}
		k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithTaskCapabilities(true, true, true)))
		ran := make(chan struct{}, 10)
		k.server.AddTaskTool(mcp.NewTool("other.task", mcp.WithTaskSupport(support)), func(context.Context,
			mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			ran <- struct{}{}
			return &mcp.CreateTaskResult{}, nil
		})
		// The tool of a contract is registered again with task support.
		tool := *k.server.GetTool("calc.add")
		tool.Tool.Execution = &mcp.ToolExecution{TaskSupport: support}
		k.server.AddTools(tool)

		sdktest.EachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"notes.write"}, listedNames(t, k.client(e, "alice")))
			for _, name := range []string{"other.task", "calc.add"} {
				for _, params := range []string{`{"name":"` + name + `","arguments":{"a":1}}`, `{"name":"` + name +
					`","arguments":{"a":1},"task":{"ttl":1000}}`} {
					assertUnknown(t, k.post(e, "alice", "tools/call", name, sdktest.Message(t, e, 1, "tools/call", params)), name)
				}
			}
		})
		assert.Empty(t, ran)
		assert.Zero(t, n.Adds.Load())
		assert.Equal(t, []string{"verify.task calc.add", "verify.task other.task"}, sdktest.Rules(mcpgo.Verify(k.server)))
	}
}

// A call of 2025-11-25 that asks for a task is refused. It does not run without
// a task. In 2026-07-28 the member is unknown, and ignored.
func TestThreat08_TaskAugmentedCallIsRefused(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithTaskCapabilities(true, true, true)))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for _, task := range []string{`{}`, `{"ttl":60000}`} {
			for _, name := range []string{"calc.add", "calc.plus"} {
				body := sdktest.Message(t, e, 1, "tools/call", `{"name":"`+name+`","arguments":{"a":1},"task":`+task+`}`)
				answer := k.post(e, "", "tools/call", name, body)
				if e == sdktest.Legacy {
					sdktest.AssertRefused(t, answer, contract.CodeInvalidInput)
					assert.Zero(t, n.Adds.Load())
				} else {
					assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, answer).Status)
				}
			}
		}
	})
	assert.EqualValues(t, 4, n.Adds.Load())
}

// A movingPerson approves, and moves the client's connection to another server
// before the answer is sent.
type movingPerson struct{ move func() }

func (p movingPerson) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.move()
	return &mcp.ElicitationResult{ElicitationResponse: approves}, nil
}

func TestThreat125_StatesAndTokensOfOneServerDoNotCountOnAnother(t *testing.T) {
	t.Parallel()
	memory, err := store.NewMemory()
	require.NoError(t, err)
	n := &tools{}
	note := n.Note(nil).DryRun(dryrun.By(func(context.Context, noteIn) (dryrun.Preview[noteCount], error) {
		return dryrun.Preview[noteCount]{}, nil
	}).Required()).MustBuild()
	adopted := func(name string) http.Handler {
		g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithStore(memory),
			guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)))
		require.NoError(t, err)
		t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
		s := server.NewMCPServer(name, "1.0.0")
		require.NoError(t, mcpgo.Register(s, g, mcpgo.WithTools(n.Send(), note), mcpgo.WithNames(contract.Dotted)))
		return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
	}
	staging, production := adopted("staging"), adopted("production")
	var here atomic.Pointer[http.Handler]
	here.Store(&staging)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*here.Load()).ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	over, err := transport.NewStreamableHTTP(web.URL+"/mcp",
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer alice"}))
	require.NoError(t, err)
	c := connect(t, over, modern, client.WithElicitationHandler(movingPerson{func() { here.Store(&production) }}))

	_, err = callTool(t.Context(), c, "notes.send", map[string]any{"text": "x"})
	require.ErrorContains(t, err, exchange.ErrRejectedState.Error())
	require.Same(t, &production, here.Load(), "the person was asked")
	assert.Zero(t, n.Notes.Load())

	here.Store(&staging)
	preview, err := callTool(t.Context(), c, "notes.write", map[string]any{"text": "x", "dryRun": true})
	require.NoError(t, err)
	shown, ok := preview.StructuredContent.(map[string]any)
	require.True(t, ok)
	call := map[string]any{"text": "x", "dryRunToken": shown["dryRunToken"]}
	here.Store(&production)
	r, err := callTool(t.Context(), c, "notes.write", call)
	require.NoError(t, err)
	assert.Equal(t, contract.CodeDryRunRequired, outcomeOf(t, r).Code)
	assert.Zero(t, n.Notes.Load())
	here.Store(&staging)
	r, err = callTool(t.Context(), c, "notes.write", call)
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, outcomeOf(t, r).Status)
}

func TestThreat125_ServerWithSharedKeysHasAName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	keys := guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	register := func(name string, opts ...guard.Option) error {
		g, err := guard.New(append(opts, guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)))...)
		require.NoError(t, err)
		t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
		return mcpgo.Register(server.NewMCPServer(name, "1.0.0"), g, mcpgo.WithTools(n.Send()))
	}
	assert.Equal(t, []string{"serve.name"}, sdktest.Rules(register("", keys)))
	require.NoError(t, register("mail", keys))
	require.NoError(t, register("", keys, guard.WithNamespace("mail")))
	require.NoError(t, register(""))
}

func TestThreat116_AnnotatedTextsHideNothing(t *testing.T) {
	t.Parallel()
	tool := mcp.NewTool("num", mcp.WithTitleAnnotation("N\u202eum"), mcp.WithDescription("Num\u200b"))
	before := tool
	err := mcpgo.Annotate(&tool, contract.Base{Effect: risk.ReadOnly, Version: "1.0.0"})
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 2)
	for i, where := range []string{"title", "description"} {
		assert.Equal(t, "text.form", mistakes[i].Rule)
		assert.Equal(t, where, mistakes[i].Where)
	}
	assert.Equal(t, before, tool)
	cleaned, texts := mcpgo.CleanTexts(tool)
	assert.Equal(t, 2, texts)
	assert.NoError(t, mcpgo.Annotate(&cleaned, contract.Base{Effect: risk.ReadOnly, Version: "1.0.0"}))
}
