package sdks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// asWritten returns the options of a server that lists names as the contracts
// spell them and publishes whole contracts.
func asWritten(served ...*contract.Tool) options {
	return options{Config: adapter.Config{Tools: served, Tier: contract.TierFull, Naming: contract.Dotted}}
}

// serving returns the default options with some tools.
func serving(served ...*contract.Tool) options {
	return options{Config: adapter.Config{Tools: served}}
}

// A kit is a server with some tools and its audit log.
type kit struct {
	t      *testing.T
	sdk    sdk
	guard  *guard.Guard
	server server
	log    *audit.Recorder
	url    string // the address of the HTTP endpoint

	mu       sync.Mutex
	sessions map[string]string // of bearer token to the id of its session
}

// newGuard returns a guard for the tokens of [sdktest.Verify]. It is closed at
// the end of the test.
func newGuard(t *testing.T, s sdk, opts ...guard.Option) (*guard.Guard, *audit.Recorder) {
	t.Helper()
	log := &audit.Recorder{}
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(s.Bearer(sdktest.Verify)), guard.WithAudit(log)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g, log
}

// newKit serves a server created by the adapter.
func newKit(t *testing.T, s sdk, with options, opts ...guard.Option) *kit {
	t.Helper()
	k := &kit{t: t, sdk: s, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t, s, opts...)
	var err error
	k.server, err = s.NewServer("kit", "1.0.0", k.guard, with)
	require.NoError(t, err)
	k.serve(k.server.Sessions(t))
	return k
}

// newKitOf serves an SDK server that a test registers contracts with.
func newKitOf(t *testing.T, s sdk, existing server) *kit {
	t.Helper()
	k := &kit{t: t, sdk: s, server: existing, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t, s)
	k.serve(existing.Sessions(t))
	return k
}

// serve serves an endpoint at the kit's URL.
func (k *kit) serve(h http.Handler) {
	web := httptest.NewServer(h)
	k.url = web.URL + "/mcp"
	k.t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
}

// events closes the guard and returns the audit events of one kind.
func (k *kit) events(kind audit.Kind) []audit.Event {
	k.t.Helper()
	require.NoError(k.t, k.guard.Close(k.t.Context()))
	return k.log.Events(kind)
}

// client connects the SDK's client over HTTP. Without a person, it can't be
// asked.
func (k *kit) client(e era, token string, p *person) client {
	k.t.Helper()
	return k.sdk.Client(k.t, endpoint{url: k.url, token: token}, e, p)
}

// send posts one message over HTTP.
func (k *kit) send(e era, token, method, name string, body []byte, headers ...string) sdktest.HTTPAnswer {
	k.t.Helper()
	answer := sdktest.Post(k.t, k.url, e, token, method, name, body, headers...)
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		for line := range strings.Lines(answer.Body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				answer.Body = strings.TrimSuffix(data, "\n")
			}
		}
	}
	return answer
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// session returns the session of a token in the older era.
func (k *kit) session(token string) string {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if id := k.sessions[token]; id != "" {
		return id
	}
	answer := k.send(legacy, token, "initialize", "", []byte(sdktest.Opening(`{}`, "test")))
	id := answer.Header.Get("Mcp-Session-Id")
	require.NotEmpty(k.t, id, answer.Body)
	k.sessions[token] = id
	k.send(legacy, token, "notifications/initialized", "", []byte(initialized), "Mcp-Session-Id", id)
	return id
}

// post sends one message over HTTP and returns the answer's body.
func (k *kit) post(e era, token, method, name string, body []byte, headers ...string) string {
	k.t.Helper()
	if e == legacy {
		headers = append(headers, "Mcp-Session-Id", k.session(token))
	}
	return k.send(e, token, method, name, body, headers...).Body
}

// call posts a tools/call.
func (k *kit) call(e era, token, tool, arguments string) string {
	k.t.Helper()
	name, err := json.Marshal(tool)
	require.NoError(k.t, err)
	body := sdktest.Message(k.t, e, 7, "tools/call", `{"name":`+string(name)+`,"arguments":`+arguments+`}`)
	return k.post(e, token, "tools/call", tool, body)
}

// list posts a tools/list and returns the JSON of each tool, and the names in
// order.
func (k *kit) list(e era, token string) (tools map[string]string, order []string) {
	k.t.Helper()
	return listing(k.t, k.post(e, token, "tools/list", "", sdktest.Message(k.t, e, 1, "tools/list", `{}`)))
}

// pages posts a tools/list for each page and returns the answers.
func (k *kit) pages(e era, token string) (answers []string) {
	k.t.Helper()
	for params := `{}`; params != ""; {
		page := k.post(e, token, "tools/list", "", sdktest.Message(k.t, e, 1, "tools/list", params))
		a := sdktest.Parse(k.t, page)
		require.NotNil(k.t, a.Result, "no result: %s", page)
		answers, params = append(answers, page), ""
		if a.Result.NextCursor != "" {
			params = fmt.Sprintf(`{"cursor":%q}`, a.Result.NextCursor)
		}
	}
	return answers
}

// assertUnknown asserts the protocol error for a name that doesn't exist.
func (k *kit) assertUnknown(raw, name string) {
	k.t.Helper()
	assertUnknown(k.t, k.sdk, raw, name)
}

func assertUnknown(t *testing.T, s sdk, raw, name string) {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Error, "answer: %s", raw)
	assert.Equal(t, -32602, a.Error.Code)
	assert.Equal(t, s.Unknown(name), a.Error.Message)
}

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// listed passes tools/list to a server; see [listing].
func listed(t *testing.T, s server) (tools map[string]string, order []string) {
	t.Helper()
	return listing(t, s.Handle(t, list))
}

// listing returns the JSON of each tool in a list, and the names in order.
func listing(t *testing.T, raw string) (tools map[string]string, order []string) {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	tools = map[string]string{}
	for _, tool := range a.Result.Tools {
		var named struct{ Name string }
		sdktest.Unmarshal(t, string(tool), &named)
		tools[named.Name], order = string(tool), append(order, named.Name)
	}
	return tools, order
}

// calling passes a tools/call to a server.
func calling(t *testing.T, s server, name, arguments string) string {
	t.Helper()
	return s.Handle(t, sdktest.Call(1, name, arguments))
}

// firstText returns the first text of an answer.
func firstText(t *testing.T, raw string) string {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	require.NotEmpty(t, a.Result.Content)
	return a.Result.Content[0].Text
}

// response wraps a client's result in a response.
func response(result any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
	return string(raw), err
}

// A person answers what a client asks.
type person struct {
	forms, pages bool // what the client declares; neither: what the SDK declares for a client that can be asked
	answer       func(context.Context, question) answer
	writes       func(prompt string, tokens int) string // as the client's model; nil: it has none
	asked        atomic.Int64
	last         atomic.Pointer[question]
}

// whoAlways returns a person who always gives the same answer.
func whoAlways(a answer) *person {
	p := &person{}
	p.answer = func(_ context.Context, q question) answer {
		p.asked.Add(1)
		p.last.Store(&q)
		return a
	}
	return p
}

// whoAgrees returns a person who approves and fills in every field: a client
// may refuse an answer that lacks required ones.
func whoAgrees() *person {
	p := &person{}
	p.answer = func(_ context.Context, q question) answer {
		p.asked.Add(1)
		p.last.Store(&q)
		raw, err := json.Marshal(q.schema)
		if err != nil {
			return answer{}
		}
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		_ = json.Unmarshal(raw, &schema)
		content := map[string]any{}
		for _, name := range schema.Required {
			content[name] = true
		}
		for name, field := range schema.Properties {
			content[name] = true
			if field.Type == "string" {
				content[name] = "yes"
			}
		}
		return answer{approves.action, content}
	}
	return p
}

// plain returns the definition of a tool that accepts anything.
func plain(name string) definition { return definition{name: name, description: "Does " + name + "."} }

// reads returns the definition of a tool with the hint that it only reads.
func reads(name string) definition {
	d := plain(name)
	d.readOnly = new(true)
	return d
}

// objectOr returns a schema, or that of any object if it is empty.
func objectOr(schema string) string {
	if schema == "" {
		return `{"type":"object"}`
	}
	return schema
}

// saying returns a handler that always returns a text.
func saying(words string) handler {
	return func(context.Context, request) (*result, error) { return &result{text: words}, nil }
}

// echo returns the arguments it received.
func echo(_ context.Context, r request) (*result, error) { return &result{text: r.arguments}, nil }

// intruder adds a tool without the adapter, and returns the counter of its
// runs.
func intruder(s server, d definition) *atomic.Int64 {
	runs := &atomic.Int64{}
	s.AddTool(d, func(context.Context, request) (*result, error) {
		runs.Add(1)
		return &result{text: "intruder"}, nil
	})
	return runs
}

// orders returns a server as its author wrote it, without contracts.
func orders(s sdk) server {
	o := s.Existing("orders", "", 0)
	find := reads("find_order")
	find.input = `{"type":"object","properties":{"id":{"type":"string"},"page":{"type":"number","default":1}},"required":["id"]}`
	cancel := plain("cancel_order")
	cancel.input = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
	o.AddTool(find, echo)
	o.AddTool(cancel, echo)
	o.AddTool(plain("drop_orders"), saying("dropped"))
	return o
}

func versioned() contract.Base {
	return contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"notes:write"}}
}

// wrapRead starts the contract of a harmless read.
func wrapRead(s sdk, d definition, h handler, opts ...wrap.Option) *wrap.Builder {
	return s.Wrap(d, h, opts...).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// wordTool returns a typed tool that answers with a word. Equal names have
// equal contracts.
func wordTool(name, word string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return word, nil }).
		Description("Returns a word.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}
