package gosdk_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// This file has a test for each mistake that an adapter for the SDK makes
// easily.

// tokens returns the token info for the kit's tokens.
func tokens(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	info := &auth.TokenInfo{Expiration: time.Now().Add(time.Hour), Extra: map[string]any{"sub": token}}
	if token == "alice" {
		info.Scopes = []string{"notes:write"}
	}
	return info, nil // without a UserID, the SDK lets every caller use every session
}

func principalOf(info *auth.TokenInfo) (guard.Principal, error) {
	subject, _ := info.Extra["sub"].(string)
	return guard.Principal{Issuer: "test", Subject: subject, Permissions: info.Scopes}, nil
}

// In a stateful session, a call's context is that of the session's first
// request (mcp/streamable.go:700).
func TestPitfall_TheCallerIsThatOfTheRequest(t *testing.T) {
	t.Parallel()
	for name, principal := range map[string]guard.PrincipalFunc{
		"TokenInfo": gosdk.TokenInfo(func(_ context.Context, info *auth.TokenInfo) (guard.Principal,
			error) {
			return principalOf(info)
		}),
		"TokenInfoFromContext of the SDK": func(ctx context.Context) (guard.Principal, error) {
			info := auth.TokenInfoFromContext(ctx)
			if info == nil {
				return guard.Principal{}, nil
			}
			return principalOf(info)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &tools{}
			k := &kit{t: t, sessions: map[string]string{}}
			k.guard, k.log = newGuard(t, guard.WithPrincipal(principal))
			h, err := gosdk.NewHandler("kit", "1.0.0", k.guard, asWritten(gosdk.WithTools(n.All()...))...)
			require.NoError(t, err)
			k.serve(auth.RequireBearerToken(tokens, nil)(h))
			sdktest.EachEra(t, func(t *testing.T, e era) {
				var headers []string
				if e == legacy {
					headers = []string{"Mcp-Session-Id", k.session("alice")}
				}
				send := func(token, method, tool, params string) string {
					return k.send(e, token, method, tool, sdktest.Message(t, e, 1, method, params), headers...).Body
				}
				assert.Contains(t, send("alice", "tools/list", "", `{}`), "notes.write")
				assert.NotContains(t, send("bob", "tools/list", "", `{}`), "notes.write")
				call := `{"name":"notes.write","arguments":{"text":"x"}}`
				assert.Empty(t, sdktest.Outcome(t, send("alice", "tools/call", "notes.write", call)).Code)
				sdktest.AssertRefused(t, send("bob", "tools/call", "notes.write", call), "permission_denied")
			})
			var callers []string
			for _, event := range k.events(audit.Terminal) {
				callers = append(callers, event.Principal)
			}
			assert.Equal(t, []string{"alice", "bob", "alice", "bob"}, callers)
		})
	}
}

func TestTokenInfo_NamesTheCaller(t *testing.T) {
	t.Parallel()
	assert.Nil(t, gosdk.TokenInfo(nil))
	p, err := gosdk.TokenInfo(func(context.Context, *auth.TokenInfo) (guard.Principal, error) {
		return guard.Principal{Subject: "x"}, nil
	})(t.Context())
	require.NoError(t, err)
	assert.True(t, p.IsAnonymous(), "without a token info")
	for code, principal := range map[string]guard.Principal{"unauthenticated": {}, "permission_denied": {Subject: "eve"}} {
		n := &tools{}
		k := &kit{t: t, sessions: map[string]string{}}
		k.guard, k.log = newGuard(t, guard.WithPrincipal(gosdk.TokenInfo(func(context.Context, *auth.TokenInfo) (guard.Principal,
			error) {
			return principal, nil
		})))
		h, err := gosdk.NewHandler("kit", "1.0.0", k.guard, asWritten(gosdk.WithTools(n.All()...))...)
		require.NoError(t, err)
		k.serve(auth.RequireBearerToken(tokens, nil)(h))
		sdktest.AssertRefused(t, k.call(modern, "eve", "notes.write", `{"text":"x"}`), code)
	}
}

// The SDK picks the era by the version a client requested, not the negotiated
// one (mcp/mrtr.go:65), and then refuses to ask the client.
func TestPitfall_AClientThatRequestedTheNewVersionIsAskedWithinTheCall(t *testing.T) {
	t.Parallel()
	n := &tools{}
	g, _ := newGuardFor(t)
	s, err := gosdk.NewServer("kit", "1.0.0", g, asWritten(gosdk.WithTools(n.Send()))...)
	require.NoError(t, err)
	w := newWireOf(t, s, `{"protocolVersion":"2026-07-28","capabilities":{"elicitation":{}},"clientInfo":{"name":"test",`+
		`"version":"1"}}`)
	question := w.request(strings.Replace(callOf("notes.send", `{"text":"x"}`), `"id":1`, `"id":7`, 1))
	var asked struct {
		ID     json.RawMessage
		Method string
	}
	sdktest.Unmarshal(t, question, &asked)
	require.Equal(t, "elicitation/create", asked.Method, question)
	raw := w.request(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"accept","content":{"confirm":true}}}`)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	assert.EqualValues(t, 1, n.Notes.Load())
}

// A session can carry requests of both eras. The SDK would itself ask the
// client of an older session.
func TestPitfall_ARequestOfTheNewVersionInAnOlderSessionIsAskedInRounds(t *testing.T) {
	t.Parallel()
	n := &tools{}
	g, _ := newGuardFor(t)
	s, err := gosdk.NewServer("kit", "1.0.0", g, asWritten(gosdk.WithTools(n.Send(), n.Add().MustBuild()))...)
	require.NoError(t, err)
	w := newWire(t, s)
	ask := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	call := func(tool, params string) sdktest.Response {
		return sdktest.Parse(t, w.request(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+tool+`",`+params+`,`+ask+
			`}}`))
	}
	a := call("notes.send", `"arguments":{"text":"x"}`)
	require.NotNil(t, a.Result)
	assert.Equal(t, "input_required", a.Result.ResultType)
	require.Contains(t, a.Result.InputRequests, "confirm")
	state, err := json.Marshal(a.Result.RequestState)
	require.NoError(t, err)
	a = call("notes.send", `"arguments":{"text":"x"},"requestState":`+string(state)+
		`,"inputResponses":{"confirm":{"action":"accept",`+
		`"content":{"confirm":true}}}`)
	require.NotNil(t, a.Result)
	assert.Equal(t, "complete", a.Result.ResultType)
	assert.False(t, a.Result.IsError)
	assert.EqualValues(t, 1, n.Notes.Load())
	assert.Equal(t, "complete", call("calc.add", `"arguments":{"a":1}`).Result.ResultType)
}

// A nil json.RawMessage in the SDK's OutputSchema is not nil.
func TestPitfall_NoOutputSchemaIsListedAsNone(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{(&tools{}).Optional().MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.post(e, "", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`))
		assert.NotContains(t, raw, "outputSchema")
		raw = k.call(e, "", "notes.read", `{}`)
		assert.NotContains(t, raw, "structuredContent")
	})
	_, err := gosdk.Wrap(&mcp.Tool{Name: "read", Description: "Reads.", OutputSchema: json.RawMessage(nil)}, func(context.Context,
		*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(nil)}, nil
	}).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	require.NoError(t, err)
}

// A nil Content is written as null.
func TestPitfall_AQuestionHasAnEmptyContent(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{(&tools{}).Send()})
	body := sdktest.Message(t, modern, 7, "tools/call", `{"name":"notes.send","arguments":{"text":"x"}}`)
	body = []byte(strings.Replace(string(body), `"io.modelcontextprotocol/clientCapabilities":{}`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, 1))
	raw := k.post(modern, "alice", "tools/call", "notes.send", body)
	assert.Equal(t, "input_required", sdktest.Parse(t, raw).Result.ResultType)
	assert.Contains(t, raw, `"content":[]`)
}

// Answering in middleware would bypass middleware that the server's author
// added earlier.
func TestPitfall_EarlierMiddlewareSeesTheCalls(t *testing.T) {
	t.Parallel()
	type pass struct {
		name    string
		isError bool
	}
	var earlier, later []pass
	record := func(into *[]pass) mcp.Middleware {
		return func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				result, err := next(ctx, method, req)
				if r, ok := result.(*mcp.CallToolResult); ok {
					*into = append(*into, pass{req.(*mcp.CallToolRequest).Params.Name, r.IsError})
				}
				return result, err
			}
		}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	s.AddReceivingMiddleware(record(&earlier))
	k := registeredKit(t, s, (&tools{}).All())
	s.AddReceivingMiddleware(record(&later))
	k.call(modern, "", "calc.add", `{"a":1}`)
	k.call(modern, "", "notes.write", `{"text":"x"}`)
	want := []pass{{"calc.add", false}, {"notes.write", true}}
	assert.Equal(t, want, earlier)
	assert.Equal(t, want, later)
}

// Middleware that changes a call's name doesn't turn it into a call of another
// tool.
func TestMiddleware_CannotChangeTheArgumentsOfACall(t *testing.T) {
	t.Parallel()
	n := &tools{}
	s := mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				params := *r.Params
				params.Arguments = json.RawMessage(`{"a":100,"text":"x"}`)
				return next(context.WithoutCancel(ctx), method, &mcp.CallToolRequest{Session: r.Session, Extra: r.Extra, Params: &params})
			}
			return next(ctx, method, req)
		}
	})
	k := registeredKit(t, s, n.All())
	sdktest.AssertRefused(t, k.call(modern, "", "calc.add", `{"a":1}`), "invalid_input")
	assert.Zero(t, n.Adds.Load()+n.Notes.Load())

	// A handler refuses a call that didn't come through the middleware.
	s = mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(_ context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return next(context.Background(), method, req)
		}
	})
	k = registeredKit(t, s, n.All())
	assertUnknown(t, k.call(modern, "alice", "notes.write", `{"text":"x"}`), "notes.write")
	assert.Zero(t, n.Adds.Load()+n.Notes.Load())
}

// Progress reported before the answer arrives before it.
func TestPitfall_ProgressArrivesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	tool := contract.New("notes.read", func(ctx context.Context, _ empty) (string, error) {
		for i := range 20 {
			guard.Progress(ctx, float64(i+1), 20, "working")
		}
		return "done", nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for range 20 {
		w := newWire(t, k.server)
		w.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"notes.read","arguments":{},` +
			`"_meta":{"progressToken":5}}}`)
		for i := range 20 {
			var m struct {
				Params struct {
					Progress, Total, ProgressToken float64
					Message                        string
				}
			}
			sdktest.Unmarshal(t, w.read(), &m)
			require.EqualValues(t, i+1, m.Params.Progress)
			require.EqualValues(t, 20, m.Params.Total)
			require.EqualValues(t, 5, m.Params.ProgressToken)
			require.Equal(t, "working", m.Params.Message)
		}
		assert.EqualValues(t, 7, sdktest.Parse(t, w.read()).ID)
	}
}

// The SDK calls SetCacheable while holding the server's lock. This package
// reads the tools once per call, and the server doesn't hang.
func TestPitfall_SetCacheableIsCalledUnderTheLock(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	k := newKit(t, (&tools{}).All(), gosdk.WithServerOptions(mcp.ServerOptions{SetCacheable: func(context.Context, mcp.Request,
		*mcp.Cacheable) {
		asked.Add(1)
	}}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.call(modern, "", "calc.add", `{"a":1}`)
		assert.NoError(t, gosdk.Verify(k.server))
		assert.NoError(t, gosdk.Add(k.server, (&tools{}).Optional().MustBuild()))
	}()
	within(t, "the server", done)
	assert.EqualValues(t, 3, asked.Load())
}

// A handler can't name another server in _meta.
func TestPitfall_AHandlersMetaLeavesTheProtocolsKeys(t *testing.T) {
	t.Parallel()
	meta := map[string]any{mcp.MetaKeyServerInfo: map[string]any{"name": "evil"}, "io.github.toolcontract/outcome": "evil",
		"own": "kept"}
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Meta: meta, Content: []mcp.Content{&mcp.TextContent{Text: "x",
			Meta: mcp.Meta{mcp.MetaKeyServerInfo: "evil"}}}}, nil
	}
	tool := gosdk.Wrap(&mcp.Tool{Name: "read", Description: "Reads."},
		handler).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "read", `{}`)
		assert.NotContains(t, raw, "evil")
		a := sdktest.Parse(t, raw)
		assert.JSONEq(t, `"kept"`, string(a.Result.Meta["own"]))
		if e == modern {
			assert.JSONEq(t, `{"name":"kit","version":"1.0.0"}`, string(a.Result.Meta[mcp.MetaKeyServerInfo]))
		}
	})
}
