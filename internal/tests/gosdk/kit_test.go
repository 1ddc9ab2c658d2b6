package gosdk_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The parts of the kit that don't depend on an SDK.
type (
	era    = sdktest.Era
	tools  = sdktest.Tools
	empty  = sdktest.Empty
	addOut = sdktest.AddOut
)

const (
	legacy = sdktest.Legacy
	modern = sdktest.Modern
)

// asWritten adds the options of a server that lists names as the contracts
// spell them and publishes whole contracts. Later options override them.
func asWritten(opts ...gosdk.Option) []gosdk.Option {
	return append([]gosdk.Option{gosdk.WithNames(contract.Dotted), gosdk.WithTier(contract.TierFull)}, opts...)
}

// A kit is a server with some tools and its audit log.
type kit struct {
	t      *testing.T
	guard  *guard.Guard
	server *mcp.Server
	log    *audit.Recorder
	url    string // the address of the HTTP endpoint

	mu       sync.Mutex
	sessions map[string]string // of bearer token to the id of its session
}

// newGuard returns a guard for the kit's tokens. It is closed at the end of the
// test.
func newGuard(t *testing.T, opts ...guard.Option) (*guard.Guard, *audit.Recorder) {
	t.Helper()
	log := &audit.Recorder{}
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(gosdk.Bearer(sdktest.Verify)), guard.WithAudit(log)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g, log
}

func newKit(t *testing.T, served []*contract.Tool, opts ...gosdk.Option) *kit {
	t.Helper()
	k := &kit{t: t, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t)
	table, err := gosdk.NewTable("kit", "1.0.0", k.guard, append(asWritten(gosdk.WithTools(served...)), opts...)...)
	require.NoError(t, err)
	k.server, err = table.NewServer()
	require.NoError(t, err)
	k.serve(table.Handler(func(*http.Request) *mcp.Server { return k.server }))
	return k
}

// newKitOf serves an SDK server that a test registers contracts with.
func newKitOf(t *testing.T, s *mcp.Server) *kit {
	t.Helper()
	k := &kit{t: t, server: s, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t)
	table, err := gosdk.NewTable("endpoint", "1.0.0", nil) // only its endpoint is used
	require.NoError(t, err)
	k.serve(table.Handler(func(*http.Request) *mcp.Server { return s }))
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

// A bearer adds a token to the requests of a client.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client connects the SDK's client over HTTP.
func (k *kit) client(e era, token string) *mcp.ClientSession { return k.clientOf(e, token, nil) }

func (k *kit) transport(token string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: k.url, HTTPClient: &http.Client{Transport: bearer(token)}}
}

// clientOf connects the SDK's client over HTTP. Without a person, the client
// can't be asked.
func (k *kit) clientOf(e era, token string, p *person) *mcp.ClientSession {
	k.t.Helper()
	return connect(k.t, k.transport(token), e, p.options())
}

// inProcess connects the SDK's client without a network, so the caller is
// anonymous.
func (k *kit) inProcess(e era) *mcp.ClientSession {
	k.t.Helper()
	return inMemory(k.t, k.server, e, nil)
}

func inMemory(t *testing.T, s *mcp.Server, e era, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	_, err := s.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	return connect(t, here, e, options)
}

// connect starts a client. Without options it has no capabilities.
func connect(t *testing.T, over mcp.Transport, e era, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	if options == nil {
		options = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := c.Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: string(e)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	require.Equal(t, string(e), session.InitializeResult().ProtocolVersion)
	return session
}

func callTool(ctx context.Context, c *mcp.ClientSession, name string, arguments any) (*mcp.CallToolResult, error) {
	return c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
}

func listedNames(t *testing.T, c *mcp.ClientSession) []string {
	t.Helper()
	result, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	return names(result.Tools)
}

func names(listed []*mcp.Tool) []string {
	all := make([]string, len(listed))
	for i, t := range listed {
		all[i] = t.Name
	}
	return all
}

// A person answers every question the same way and records the last one.
type person struct {
	answer mcp.ElicitResult
	asked  atomic.Int64
	last   atomic.Pointer[mcp.ElicitParams]
}

// options returns the options for a client that asks the person, or nil if p is
// nil.
func (p *person) options() *mcp.ClientOptions {
	if p == nil {
		return nil
	}
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{},
			URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			p.asked.Add(1)
			p.last.Store(r.Params)
			answer := p.answer
			answer.Content = maps.Clone(answer.Content) // the SDK fills in the form's defaults, and answers are shared by tests
			return &answer, nil
		},
	}
}

var (
	approves = mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}
	declines = mcp.ElicitResult{Action: "decline"}
)

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

// session returns the session of a token in the older era.
func (k *kit) session(token string) string {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if id := k.sessions[token]; id != "" {
		return id
	}
	body := sdktest.Message(k.t, legacy, 1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}`)
	answer := k.send(legacy, token, "initialize", "", body)
	id := answer.Header.Get("Mcp-Session-Id")
	require.NotEmpty(k.t, id, answer.Body)
	k.sessions[token] = id
	k.send(legacy, token, "notifications/initialized", "", []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		"Mcp-Session-Id", id)
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

// A wire is a session without an SDK client: it sends raw messages.
type wire struct {
	t    *testing.T
	conn mcp.Connection
}

// newWire connects to an in-memory server and initializes a session of an older
// version.
func newWire(t *testing.T, s *mcp.Server) *wire {
	t.Helper()
	return newWireOf(t, s, `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test",`+
		`"version":"1"}}`)
}

func newWireOf(t *testing.T, s *mcp.Server, initialize string) *wire {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	session, err := s.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	conn, err := here.Connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = session.Wait()
	})
	w := &wire{t, conn}
	if initialize != "" {
		w.request(string(sdktest.Message(t, legacy, 1, "initialize", initialize)))
		w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w
}

func (w *wire) write(raw string) {
	w.t.Helper()
	m, err := jsonrpc.DecodeMessage([]byte(raw))
	require.NoError(w.t, err, raw)
	require.NoError(w.t, w.conn.Write(w.t.Context(), m))
}

func (w *wire) read() string {
	w.t.Helper()
	m, err := w.conn.Read(w.t.Context())
	require.NoError(w.t, err)
	raw, err := jsonrpc.EncodeMessage(m)
	require.NoError(w.t, err)
	return string(raw)
}

// request sends a message and returns the next message that isn't a
// notification.
func (w *wire) request(raw string) string {
	w.t.Helper()
	w.write(raw)
	for {
		answer := w.read()
		var m struct{ ID any }
		sdktest.Unmarshal(w.t, answer, &m)
		if m.ID != nil {
			return answer
		}
	}
}

// handle passes one message of the older era to the server and returns the
// answer.
func handle(t *testing.T, s *mcp.Server, raw string) string {
	t.Helper()
	return newWire(t, s).request(raw)
}

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func callOf(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

func outcomeOf(t *testing.T, r *mcp.CallToolResult) contract.Outcome {
	t.Helper()
	raw, err := json.Marshal(r.Meta[contract.MetaKeyOutcome])
	require.NoError(t, err)
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(raw, &o))
	return o
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	require.NotEmpty(t, r.Content)
	text, ok := r.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return text.Text
}

// assertUnknown asserts the protocol error for a name that doesn't exist.
func assertUnknown(t *testing.T, raw, name string) {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Error, "answer: %s", raw)
	assert.Equal(t, jsonrpc.CodeInvalidParams, a.Error.Code)
	assert.Equal(t, `unknown tool "`+name+`"`, a.Error.Message)
}

// intruder returns a tool added without this package, its handler, and the
// counter of its runs.
func intruder(name string) (*mcp.Tool, mcp.ToolHandler, *atomic.Int64) {
	runs := &atomic.Int64{}
	return &mcp.Tool{Name: name, Description: "An intruder.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runs.Add(1)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "intruder"}}}, nil
		}, runs
}

// registeredKit registers tools with an SDK server, in a closed world, and
// serves it.
func registeredKit(t *testing.T, s *mcp.Server, served []*contract.Tool, opts ...gosdk.Option) *kit {
	t.Helper()
	k := newKitOf(t, s)
	require.NoError(t, gosdk.Register(s, k.guard, append(asWritten(gosdk.WithTools(served...), gosdk.WithClosedWorld()),
		opts...)...))
	return k
}

const metadata = "https://notes.example/.well-known/oauth-protected-resource/mcp"

var closeNote = map[string]any{"text": "hello"}
