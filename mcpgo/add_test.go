package mcpgo_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// wordTool returns a typed tool that answers with a word. Equal names have
// equal contracts.
func wordTool(name, word string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return word, nil }).
		Description("Returns a word.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// firstText returns the first text of an answer.
func firstText(t *testing.T, raw string) string {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	require.NotEmpty(t, a.Result.Content)
	return a.Result.Content[0].Text
}

// mcp-go shows the tools of a server with their handlers.
func TestAdd_TheHandlerOfAnEarlierContractDoesNotReturn(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.first", "one").MustBuild()})
	old := k.server.GetTool("word.first")
	k.server.DeleteTools("word.first")
	require.NoError(t, mcpgo.Add(k.server, wordTool("word.first", "other").Version("2.0.0").MustBuild()))
	assert.Equal(t, "other", firstText(t, handle(t, k.server, callOf("word.first", `{}`))))
	k.server.AddTool(old.Tool, old.Handler)
	assertUnknown(t, handle(t, k.server, callOf("word.first", `{}`)), "word.first")
	assert.Equal(t, []string{"verify.replaced word.first"}, sdktest.Rules(mcpgo.Verify(k.server)))
}

func TestAdd_RefusesTheNameOfASession(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{wordTool("word.first", "one").MustBuild()})
	own := &session{id: "a"}
	require.NoError(t, k.server.RegisterSession(t.Context(), own))
	require.NoError(t, mcpgo.RegisterSession(k.server, "a", mcpgo.WithTools(wordTool("word.own", "own").MustBuild())))
	assert.Equal(t, []string{"serve.taken word.own"}, sdktest.Rules(mcpgo.Add(k.server, wordTool("word.own", "x").MustBuild())))
}

// later returns a server under WrapAll to which tools are added later.
func later(t *testing.T, rules wrap.Rules) *server.MCPServer {
	t.Helper()
	s := orders()
	_, err := mcpgo.WrapAll(s, forAlice(t), rules)
	require.NoError(t, err)
	return s
}

func readable() wrap.Rules {
	return wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: contract.Base{Effect: risk.LowRiskWrite, NoPermissions: "All callers may."}},
			"count_orders": {Later: true, Base: contract.Base{Effect: risk.ReadOnly}},
			"plain_tool":   {Later: true, Uncontracted: true},
		},
	}
}

func TestWrapAll_TheSameToolAgainReplacesItself(t *testing.T) {
	t.Parallel()
	s := later(t, readable())
	var raw []server.ServerTool
	for _, added := range orders().ListTools() {
		raw = append(raw, *added)
	}
	s.SetTools(raw...)
	assert.Equal(t, `{"id":"1"}`, firstText(t, handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
		`"params":{"name":"find_order","arguments":{"id":"1"}}}`)))
	sdktest.AssertRefused(t, handle(t, s, callOf("cancel_order", `{}`)), contract.CodeInvalidInput)
	require.NoError(t, mcpgo.Verify(s))
	assert.Len(t, listOf(t, s), 2)
}

func TestWrapAll_WrapsTheToolsOfASession(t *testing.T) {
	t.Parallel()
	s := later(t, readable())
	own, other := &session{id: "a", tools: map[string]server.ServerTool{}}, &session{id: "b", tools: map[string]server.ServerTool{}}
	require.NoError(t, s.RegisterSession(t.Context(), own))
	require.NoError(t, s.RegisterSession(t.Context(), other))
	ctx, otherCtx := s.WithContext(t.Context(), own), s.WithContext(t.Context(), other)
	for range 2 { // the same tools again
		require.NoError(t, s.AddSessionTool("a", plain("count_orders", mcp.WithString("state", mcp.Required())), echo))
		require.NoError(t, s.AddSessionTool("a", plain("guess.read", mcp.WithReadOnlyHintAnnotation(true)), echo))
		sdktest.AssertRefused(t, handleAs(t, ctx, s, callOf("count_orders", `{}`)), contract.CodeInvalidInput)
		assert.Equal(t, "{}", firstText(t, handleAs(t, ctx, s, callOf("guess_read", `{}`))))
		assertUnknown(t, handleAs(t, ctx, s, callOf("guess.read", `{}`)), "guess.read")
		assertUnknown(t, handleAs(t, otherCtx, s, callOf("count_orders", `{}`)), "count_orders")
		assert.Len(t, sdktest.Parse(t, handleAs(t, ctx, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Result.Tools, 4)
		assert.Len(t, sdktest.Parse(t, handleAs(t, otherCtx, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Result.Tools, 2)
		require.NoError(t, mcpgo.Verify(s))
	}
	changed := plain("count_orders", mcp.WithString("state"), mcp.WithString("city", mcp.Required()))
	require.NoError(t, s.AddSessionTool("a", changed, echo))
	sdktest.AssertRefused(t, handleAs(t, ctx, s, callOf("count_orders", `{"state":"open"}`)), contract.CodeInvalidInput)
	assert.Equal(t, `{"city":"Bern"}`, firstText(t, handleAs(t, ctx, s, callOf("count_orders", `{"city":"Bern"}`))))
	require.NoError(t, mcpgo.Verify(s))
	require.NoError(t, s.AddSessionTool("a", plain("cancel_order"), echo))
	assertUnknown(t, handleAs(t, ctx, s, callOf("cancel_order", `{}`)), "cancel_order")
	assert.Equal(t, []string{"verify.shadowed cancel_order"}, sdktest.Rules(mcpgo.Verify(s)))
}

// A session that ended while its tool was wrapped, or that has another tool of
// the name, takes the tool from no other session.
func TestWrapAll_AToolThatOneSessionIsRefusedReachesTheOthers(t *testing.T) {
	t.Parallel()
	second := plain("count_orders", mcp.WithString("state"))
	for name, refuse := range map[string]func(t *testing.T, s *server.MCPServer, own *session){
		"its session has ended": func(t *testing.T, s *server.MCPServer, own *session) {
			t.Helper()
			ctx := s.WithContext(t.Context(), own)
			require.NoError(t, s.AddSessionTool("a", second, echo))
			s.UnregisterSession(t.Context(), "a")
			handleAs(t, ctx, s, callOf("count_orders", `{}`))
		},
		"its session has another": func(t *testing.T, s *server.MCPServer, own *session) {
			t.Helper()
			ctx := s.WithContext(t.Context(), own)
			require.NoError(t, mcpgo.RegisterSession(s, "a", mcpgo.WithTools(wordTool("count_orders", "x").FlatName().MustBuild())))
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handleAs(t, ctx, s, callOf("count_orders", `{}`))).Status)
			require.NoError(t, s.AddSessionTool("a", second, echo))
			assertUnknown(t, handleAs(t, ctx, s, callOf("count_orders", `{}`)), "count_orders")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := later(t, readable())
			own, other := &session{id: "a", tools: map[string]server.ServerTool{}}, &session{id: "b",
				tools: map[string]server.ServerTool{}}
			require.NoError(t, s.RegisterSession(t.Context(), own))
			require.NoError(t, s.RegisterSession(t.Context(), other))
			refuse(t, s, own)
			require.NoError(t, s.AddSessionTool("b", second, echo))
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handleAs(t, s.WithContext(t.Context(), other), s, callOf("count_orders",
				`{}`))).Status)
		})
	}
}

// A hook that runs when a session begins is where servers add the tools of a
// user.
func TestWrapAll_WrapsToolsThatAHookAdds(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	s := server.NewMCPServer("s", "1", server.WithHooks(hooks))
	hooks.AddOnRegisterSession(func(_ context.Context, session server.ClientSession) {
		_ = s.AddSessionTool(session.SessionID(), plain("count_orders"), echo)
		s.AddTool(plain("guess.read", mcp.WithReadOnlyHintAnnotation(true)), echo)
	})
	rules := readable()
	delete(rules.Tools, "cancel_order")
	_, err := mcpgo.WrapAll(s, nil, rules)
	require.NoError(t, err)
	own := &session{id: "a", tools: map[string]server.ServerTool{}}
	require.NoError(t, s.RegisterSession(t.Context(), own))
	ctx := s.WithContext(t.Context(), own)
	for _, name := range []string{"count_orders", "guess_read"} {
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, handleAs(t, ctx, s, callOf(name, `{}`))).Status)
	}
	require.NoError(t, mcpgo.Verify(s))
}

// Calls of a tool that is added again never fail.
func TestAdd_CallsGoOnWhileTheSameToolIsReplaced(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithRateLimit(1_000_000, 1))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("s", "1", g, mcpgo.WithTools(wordTool("word.same", "x").MustBuild()))
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			assert.NoError(t, mcpgo.Add(s, wordTool("word.same", "x").MustBuild()))
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var a struct{ Result struct{ IsError bool } }
		raw := handle(t, s, callOf("word_same", `{}`))
		require.NoError(t, json.Unmarshal([]byte(raw), &a))
		require.NotContains(t, raw, `"error":`)
		require.False(t, a.Result.IsError, raw)
	}
}
