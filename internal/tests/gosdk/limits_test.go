package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// This file has a test for each thing the SDK can't do.

// patience limits how long a test waits for what must not hang.
const patience = time.Minute

func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal(what + " hangs")
	}
}

// The SDK gives no access to the registered tools (mcp/server.go:999).
func TestLimit_RegisteredToolsAreFound(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	require.NoError(t, gosdk.Verify(k.server))
	x, h, _ := intruder("calc.add")
	k.server.AddTool(x, h)
	x, h, _ = intruder("other")
	k.server.AddTool(x, h)
	k.server.RemoveTools("notes.write")
	assert.Equal(t, []string{"verify.replaced calc.add", "verify.missing notes.write", "verify.added other"},
		sdktest.Rules(gosdk.Verify(k.server)))
}

type greetIn struct {
	Name string `json:"name"`
}

type greetOut struct {
	Greeting string `json:"greeting"`
}

func greet(_ context.Context, _ *mcp.CallToolRequest, in greetIn) (*mcp.CallToolResult, greetOut, error) {
	return nil, greetOut{"Hello, " + in.Name}, nil
}

// The SDK offers no way to turn a typed handler into a ToolHandler
// (mcp/server.go:365).
func TestLimit_TypedHandlersAreWrapped(t *testing.T) {
	t.Parallel()
	tool := gosdk.WrapFor(&mcp.Tool{Name: "greet", Description: "Greets."}, greet).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "greet", `{"name":"Ada"}`)
		assert.JSONEq(t, `{"greeting":"Hello, Ada"}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		sdktest.AssertRefused(t, k.call(e, "", "greet", `{"name":5}`), "invalid_input")
		sdktest.AssertRefused(t, k.call(e, "", "greet", `{"NAME":"Ada"}`), "invalid_input")
	})
}

// Unparsable parameters never reach middleware, and the SDK's error repeats all
// of them (mcp/shared.go:206 and 349).
func TestLimit_UnparsableParametersAreAuditedAndNotRepeated(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	sdktest.EachEra(t, func(t *testing.T, e era) {
		k := newKit(t, (&tools{}).All())
		for _, params := range []string{
			`{"name":5,"arguments":{"password":"` + secret + `"}}`,
			`{"name":"calc.add","arguments":{"password":"` + secret + `"},"inputResponses":{"x":5}}`,
		} {
			raw := k.post(e, "alice", "tools/call", "calc.add", sdktest.Message(t, e, 7, "tools/call", params))
			a := sdktest.Parse(t, raw)
			require.NotNil(t, a.Error, raw)
			assert.EqualValues(t, 7, a.ID)
			assert.Equal(t, jsonrpc.CodeInvalidParams, a.Error.Code)
			assert.NotContains(t, raw, secret)
		}
		terminal := k.events(audit.Terminal)
		require.Len(t, terminal, 2)
		for _, event := range terminal {
			assert.Equal(t, "unparsable", event.Code)
			assert.Equal(t, "alice", event.Principal)
		}
	})
}

// The SDK sends a plain error's text to the client with code 0
// (internal/jsonrpc2/messages.go:129).
func TestLimit_PlainErrorsDoNotReachTheClient(t *testing.T) {
	t.Parallel()
	leaks := errors.New("pq: password host=10.0.0.3")
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, leaks }
	typed := func(context.Context, *mcp.CallToolRequest, greetIn) (*mcp.CallToolResult, any, error) {
		return nil, nil, leaks
	}
	wrapped := func(b *wrap.Builder) *contract.Tool {
		return b.Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	}
	k := newKit(t, []*contract.Tool{
		wrapped(gosdk.Wrap(&mcp.Tool{Name: "raw", Description: "Fails."}, handler)),
		wrapped(gosdk.WrapFor(&mcp.Tool{Name: "typed", Description: "Fails."}, typed)),
	})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for name, arguments := range map[string]string{"raw": `{}`, "typed": `{"name":"x"}`} {
			raw := k.call(e, "", name, arguments)
			sdktest.AssertRefused(t, raw, "internal_error")
			assert.NotContains(t, raw, "10.0.0.3")
		}
	})
}

// A panic ends the process. A handler that ends its goroutine never gets an
// answer, and Close then waits forever (internal/jsonrpc2/conn.go:656).
func TestLimit_PanicAndGoexitEndOnlyTheCall(t *testing.T) {
	t.Parallel()
	wild := func(name string, end func()) *contract.Tool {
		return contract.New(name, func(context.Context, empty) (string, error) {
			end()
			return "", nil
		}).Description("Ends.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	}
	end := map[string]func(){"wild.panic": func() { panic("no") }, "wild.goexit": runtime.Goexit}
	k := newKit(t, []*contract.Tool{wild("wild.panic", end["wild.panic"]), wild("wild.goexit", end["wild.goexit"]),
		(&tools{}).Add().MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for name := range end {
			sdktest.AssertRefused(t, k.call(e, "", name, `{}`), "internal_error")
		}
		here, there := mcp.NewInMemoryTransports()
		session, err := k.server.Connect(t.Context(), there, nil)
		require.NoError(t, err)
		c := connect(t, here, e, nil)
		for name := range end {
			result, err := callTool(t.Context(), c, name, map[string]any{})
			require.NoError(t, err)
			assert.Equal(t, "internal_error", outcomeOf(t, result).Code)
		}
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = session.Close()
		}()
		within(t, "Close", closed)
	})
}

// The same applies to handlers that stay registered.
func TestLimit_PanicAndGoexitOfAdoptedToolsEndOnlyTheCall(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "kit", Version: "1.0.0"}, nil)
	for name, end := range map[string]func(){"panic": func() { panic("no") }, "goexit": runtime.Goexit} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Ends."}, func(context.Context, *mcp.CallToolRequest,
			empty) (*mcp.CallToolResult, any, error) {
			end()
			return nil, nil, nil
		})
	}
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: contract.Base{
		Version: "1.0.0",
		Effect:  risk.ReadOnly,
		Trust:   trust.Trusted,
	}})
	require.NoError(t, err)
	sdktest.EachEra(t, func(t *testing.T, e era) {
		sdktest.AssertRefused(t, k.call(e, "", "panic", `{}`), "internal_error")
		sdktest.AssertRefused(t, k.call(e, "", "goexit", `{}`), "internal_error")
	})
}

// serveLines serves a server on streams. It returns the client's end of the
// input, the lines the server writes, and the error serving ends with.
func serveLines(t *testing.T, s *mcp.Server) (in *io.PipeWriter, out *json.Decoder, ended <-chan error) {
	t.Helper()
	serverIn, in := io.Pipe()
	clientOut, serverOut := io.Pipe()
	result := make(chan error, 1)
	go func() {
		result <- gosdk.ServeStreams(context.WithoutCancel(t.Context()), s, serverIn, serverOut)
		_ = serverOut.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = clientOut.Close()
	})
	return in, json.NewDecoder(clientOut), result
}

func write(t *testing.T, in io.Writer, lines ...string) {
	t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`

// The end of input cancels running calls, and one bad line ends the session
// (internal/jsonrpc2/conn.go:552, mcp/transport.go:536).
func TestLimit_StdioFinishesCallsAndSurvivesBadLines(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 1), make(chan struct{})
	tool := contract.New("notes.read", func(ctx context.Context, _ empty) (string, error) {
		begun <- struct{}{}
		<-release
		return "done", ctx.Err()
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool, (&tools{}).Add().MustBuild()})
	in, out, ended := serveLines(t, k.server)
	next := func() sdktest.Response {
		var a sdktest.Response
		require.NoError(t, out.Decode(&a))
		return a
	}
	write(t, in, initialize)
	next()
	for line, code := range map[string]int{
		`nonsense`:                                    jsonrpc.CodeParseError,
		`{"jsonrpc":"2.0","id":1,"method":`:           jsonrpc.CodeParseError,
		`[{"jsonrpc":"2.0","id":1}]`:                  jsonrpc.CodeParseError,
		`{"id":1,"method":"ping"}`:                    jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:  jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`: jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:   jsonrpc.CodeInvalidRequest,
		strings.Repeat("x", 2<<20):                    jsonrpc.CodeParseError,
	} {
		write(t, in, line)
		a := next()
		require.NotNil(t, a.Error)
		assert.Equal(t, code, a.Error.Code, "%.60s", line)
		assert.Nil(t, a.ID)
	}
	write(t, in, ``, `   `, callOf("notes.read", `{}`))
	<-begun
	// the last line has no line break
	_, err := io.WriteString(in, strings.Replace(callOf("calc.add", `{"a":1}`), `"id":1`, `"id":2`, 1))
	require.NoError(t, err)
	require.NoError(t, in.Close())
	assert.EqualValues(t, 2, next().ID)
	close(release)
	a := next()
	require.NotNil(t, a.Result)
	assert.False(t, a.Result.IsError, "the end of the input cancels nothing")
	require.NoError(t, <-ended)
}

// A single SDK handler can either serve 2026-07-28 over HTTP or ask older
// clients (mcp/streamable.go:871, 1523 and 508).
func TestLimit_OneEndpointServesBothEras(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k := newKit(t, []*contract.Tool{n.Send()})
		p := &person{answer: approves}
		result, err := callTool(t.Context(), k.clientOf(e, "alice", p), "notes.send", map[string]any{"text": "hello"})
		require.NoError(t, err)
		assert.False(t, result.IsError)
		assert.EqualValues(t, 1, p.asked.Load())
		assert.EqualValues(t, 1, n.Notes.Load())
	})
}

// The SDK compares x-mcp-header before its middleware runs, so its answer
// reveals a hidden tool (mcp/streamable.go:533 and 1618).
func TestLimit_HeadersOfHiddenToolsAreRefused(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"deep":{"type":"object","properties":{"region":{"type":"string",` +
		`"x-mcp-header":"Region"}}}}}`)
	build := func(permissions ...string) *contract.Tool {
		b := gosdk.Wrap(&mcp.Tool{Name: "read", Description: "Reads.", InputSchema: schema}, func(context.Context,
			*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		}).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
		if len(permissions) > 0 {
			b.Permissions(permissions...)
		}
		return b.MustBuild()
	}
	g, _ := newGuard(t)
	_, err := gosdk.NewServer("s", "1.0.0", g, gosdk.WithTools(build("notes:read")))
	assert.Equal(t, []string{"serve.header read"}, sdktest.Rules(err))
	s, err := gosdk.NewServer("s", "1.0.0", g, gosdk.WithTools(build()))
	require.NoError(t, err)
	s.RemoveTools("read")
	assert.Equal(t, []string{"serve.header read2"},
		sdktest.Rules(gosdk.Add(s, gosdk.Wrap(&mcp.Tool{Name: "read2", Description: "Reads.", InputSchema: schema},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			}).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("notes:read").MustBuild())))
}

// The SDK's Elicit turns an answer that doesn't fit the form into an error
// (mcp/server.go:1784). To the guard it is an answer that approves nothing.
func TestLimit_AWrongAnswerIsNoApproval(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"a string for the boolean": `{"action":"accept","content":{"confirm":"true"}}`,
		"no content":               `{"action":"accept"}`,
		"null":                     `{"action":"accept","content":null}`,
		"a list":                   `{"action":"accept","content":[true]}`,
		"another member":           `{"action":"accept","content":{"yes":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &tools{}
			g, _ := newGuardFor(t)
			s, err := gosdk.NewServer("kit", "1.0.0", g, asWritten(gosdk.WithTools(n.Send()))...)
			require.NoError(t, err)
			w := newWire(t, s)
			question := w.request(strings.Replace(callOf("notes.send", `{"text":"x"}`), `"id":1`, `"id":7`, 1))
			var asked struct {
				ID     json.RawMessage
				Method string
			}
			sdktest.Unmarshal(t, question, &asked)
			require.Equal(t, "elicitation/create", asked.Method, question)
			sdktest.AssertRefused(t, w.request(`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":`+response+`}`),
				contract.CodeConfirmationDeclined)
			assert.Zero(t, n.Notes.Load())
		})
	}
}

// newGuardFor returns a guard that takes every caller for alice.
func newGuardFor(t *testing.T) (*guard.Guard, *audit.Recorder) {
	t.Helper()
	return newGuard(t, guard.WithPrincipal(guard.PrincipalFunc(func(ctx context.Context) (guard.Principal,
		error) {
		return sdktest.Verify(ctx, "alice")
	})))
}

// NotifyProgress blocks on a client that doesn't read (mcp/server.go:1520).
func TestLimit_ProgressDoesNotBlockTheHandler(t *testing.T) {
	t.Parallel()
	reported := make(chan struct{})
	tool := contract.New("notes.read", func(ctx context.Context, _ empty) (string, error) {
		for i := range 10_000 {
			guard.Progress(ctx, float64(i+1), 10_000, "working")
		}
		close(reported)
		return "done", nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	w := newWire(t, k.server)
	w.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"notes.read","arguments":{},` +
		`"_meta":{"progressToken":"p"}}}`)
	within(t, "the handler", reported) // nothing has been read yet
	for {
		var m struct {
			ID     any
			Method string
			Params struct{ ProgressToken string }
		}
		sdktest.Unmarshal(t, w.read(), &m)
		if m.Method == "" {
			assert.EqualValues(t, 7, m.ID)
			return
		}
		assert.Equal(t, "notifications/progress", m.Method)
		assert.Equal(t, "p", m.Params.ProgressToken)
	}
}

// The SDK omits a resource's empty text and a priority of 0
// (mcp/content.go:305, mcp/protocol.go:215).
func TestLimit_ContentKeepsEmptyMembers(t *testing.T) {
	t.Parallel()
	zero := 0.0
	tool := contract.New("notes.read", func(context.Context, empty) (contract.Reply[string], error) {
		return contract.Reply[string]{Out: "x", Content: []contract.Content{
			contract.ResourceContent{URI: "file:///empty"},
			contract.ResourceContent{URI: "file:///blob", Blob: []byte{}},
			contract.TextContent{Text: "t", Annotations: contract.Annotations{Priority: &zero}},
			contract.LinkContent{URI: "file:///link", Name: "link"},
		}}, nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		var a struct {
			Result struct{ Content []json.RawMessage }
		}
		sdktest.Unmarshal(t, k.call(e, "", "notes.read", `{}`), &a)
		require.Len(t, a.Result.Content, 5)
		for i, want := range []string{
			`{"type":"text","text":"x"}`,
			`{"type":"resource","resource":{"uri":"file:///empty","text":""}}`,
			`{"type":"resource","resource":{"uri":"file:///blob","blob":""}}`,
			`{"type":"text","text":"t","annotations":{"priority":0}}`,
			`{"type":"resource_link","uri":"file:///link","name":"link","description":"","mimeType":""}`,
		} {
			assert.JSONEq(t, want, string(a.Result.Content[i]))
		}
	})
}

// The SDK marks a list as public unless another scope is set
// (mcp/protocol.go:1192).
func TestLimit_AListForOneCallerIsPrivate(t *testing.T) {
	t.Parallel()
	n := &tools{}
	public := gosdk.WithServerOptions(mcp.ServerOptions{SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
		c.CacheScope, c.TTLMs = "public", 5000
	}})
	for scope, served := range map[string][]*contract.Tool{"private": n.All(), "public": {n.Add().MustBuild()}} {
		k := newKit(t, served, public)
		sdktest.EachEra(t, func(t *testing.T, e era) {
			a := sdktest.Parse(t, k.post(e, "alice", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`)))
			assert.Equal(t, scope, a.Result.CacheScope)
			require.NotNil(t, a.Result.TTLMs)
			assert.EqualValues(t, 5000, *a.Result.TTLMs)
		})
	}
}

// The SDK refuses bodies larger than 4 MiB (mcp/streamable.go:224).
func TestLimit_ABodyCanBeAsLongAsTheArguments(t *testing.T) {
	t.Parallel()
	type in struct {
		Text string `json:"text"`
	}
	tool := contract.New("notes.read", func(_ context.Context, in in) (addOut, error) {
		return addOut{Sum: int64(len(in.Text))},
			nil
	}).
		Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MaxArgumentBytes(6 << 20).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "notes.read", `{"text":"`+strings.Repeat("x", 5<<20)+`"}`)
		assert.JSONEq(t, `{"sum":5242880}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		body := sdktest.Message(t, e, 1, "tools/call", `{"name":"notes.read","arguments":{"text":"`+strings.Repeat("x", 7<<20)+`"}}`)
		headers := []string{}
		if e == legacy {
			headers = append(headers, "Mcp-Session-Id", k.session(""))
		}
		assert.Equal(t, http.StatusRequestEntityTooLarge, k.send(e, "", "tools/call", "notes.read", body, headers...).Status)
	})
}

// With one server per request, all share one table, and a cursor from one works
// in another.
func TestTable_ServesOneServerPerRequest(t *testing.T) {
	t.Parallel()
	n := &tools{}
	g, _ := newGuard(t)
	table, err := gosdk.NewTable("kit", "1.0.0", g, asWritten(gosdk.WithTools(n.All()...),
		gosdk.WithServerOptions(mcp.ServerOptions{PageSize: 1}))...)
	require.NoError(t, err)
	var mu sync.Mutex
	made := map[*mcp.Server]bool{}
	k := &kit{t: t, guard: g, sessions: map[string]string{}}
	k.serve(table.Handler(func(*http.Request) *mcp.Server {
		s, err := table.NewServer()
		assert.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		made[s] = true
		return s
	}))
	params, seen, requests := `{}`, []string(nil), 0
	for range 10 {
		requests++
		a := sdktest.Parse(t, k.post(modern, "alice", "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", params)))
		require.NotNil(t, a.Result)
		for _, raw := range a.Result.Tools {
			var tool struct{ Name string }
			require.NoError(t, json.Unmarshal(raw, &tool))
			seen = append(seen, tool.Name)
		}
		if a.Result.NextCursor == "" {
			break
		}
		params = `{"cursor":"` + a.Result.NextCursor + `"}`
	}
	assert.Equal(t, []string{"calc.add", "notes.write"}, seen)
	assert.Len(t, made, requests, "one server for each request")
	assert.False(t, sdktest.Parse(t, k.call(legacy, "alice", "notes.write", `{"text":"x"}`)).Result.IsError)
}

// The SDK doesn't pass on the caller of an answer within a call, so it has to
// refuse other users of a session (mcp/streamable.go:559).
func TestLimit_OnlyTheUserOfASessionAnswersItsQuestions(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := &kit{t: t, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t)
	h, err := gosdk.NewHandler("kit", "1.0.0", k.guard, gosdk.WithTools(n.Send()))
	require.NoError(t, err)
	identified := func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
		info, err := tokens(ctx, token, r)
		info.UserID = token
		return info, err
	}
	k.serve(auth.RequireBearerToken(identified, nil)(h))
	var status atomic.Int64
	options := (&person{}).options()
	options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		for id := range 5 { // bob guesses the question's ID
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"confirm":true}}}`, id)
			status.Store(int64(k.send(legacy, "bob", "", "", []byte(body), "Mcp-Session-Id", k.session("alice")).Status))
		}
		return &declines, nil
	}
	c := connect(t, k.transport("alice"), legacy, options)
	k.sessions["alice"] = c.ID()
	result, err := callTool(t.Context(), c, "notes_send", map[string]any{"text": "x"})
	require.NoError(t, err)
	assert.Equal(t, contract.CodeConfirmationDeclined, outcomeOf(t, result).Code)
	assert.EqualValues(t, http.StatusForbidden, status.Load())
	assert.Zero(t, n.Notes.Load())
}
