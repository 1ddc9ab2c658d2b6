package mcpgo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type addIn struct {
	A int64 `json:"a" jsonschema:"maximum=9223372036854775806"`
	B int64 `json:"b,omitempty"`
}

type addOut struct {
	Sum int64 `json:"sum"`
}

type empty struct{}

// tools holds the tools that most tests serve. The counters count runs.
type tools struct {
	adds, notes, keys atomic.Int64
}

// add returns a tool that needs no permission.
func (n *tools) add() *contract.Builder[addIn, addOut] {
	return contract.New("calc.add", func(_ context.Context, in addIn) (addOut, error) {
		n.adds.Add(1)
		return addOut{in.A + in.B}, nil
	}).Title("Add").Description("Adds two <integers>.").Version("1.2.3").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("calc.plus")
}

type noteIn struct {
	Text string `json:"text" jsonschema:"maxLength=100"`
}

// note returns a tool that needs the permission notes:write. Its handler calls
// run unless it is nil.
func (n *tools) note(run func(context.Context, string) error) *contract.Builder[noteIn, addOut] {
	return contract.New("notes.write", func(ctx context.Context, in noteIn) (addOut, error) {
		n.notes.Add(1)
		if run != nil {
			if err := run(ctx, in.Text); err != nil {
				return addOut{}, err
			}
		}
		return addOut{int64(len(in.Text))}, nil
	}).Description("Writes a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").Aliases("notes.add")
}

// reader returns a tool that reads nothing.
func reader(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return "", nil }).
		Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// asWritten adds the options of a server that lists names as the contracts have
// them, with the whole contracts. The options that follow override them.
func asWritten(opts ...mcpgo.Option) []mcpgo.Option {
	return append([]mcpgo.Option{mcpgo.WithNames(mcpgo.Dotted), mcpgo.WithTier(mcpgo.Full)}, opts...)
}

// key returns a forbidden tool.
func (n *tools) key() *contract.Builder[empty, string] {
	return contract.New("keys.read", func(context.Context, empty) (string, error) {
		n.keys.Add(1)
		return "-----BEGIN", nil
	}).Description("Reads the private key.").Version("1.0.0").Risk(risk.Forbidden).Effect(risk.ReadOnly).Trust(trust.Sensitive).
		Permissions("keys:read")
}

func (n *tools) all() []*contract.Tool {
	return []*contract.Tool{n.add().MustBuild(), n.note(nil).MustBuild(), n.key().MustBuild()}
}

// verify returns the principal of each bearer token of the kit. None of them is
// a human.
func verify(_ context.Context, token string) (guard.Principal, error) {
	switch token {
	case "alice":
		return guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"notes:write", "keys:read"}}, nil
	case "bob":
		return guard.Principal{Issuer: "test", Subject: "bob", Permissions: []string{"contacts:read"}}, nil
	case "anonymous":
		return guard.Principal{Permissions: []string{"notes:write"}}, nil
	case "down":
		return guard.Principal{}, guard.ErrUnavailable
	default:
		return guard.Principal{}, errors.New("unknown token")
	}
}

// A kit is a server with some tools and its audit log.
type kit struct {
	t      *testing.T
	guard  *guard.Guard
	server *server.MCPServer
	log    *audit.Recorder
	url    string // the address of the HTTP endpoint
}

func newKit(t *testing.T, served []*contract.Tool, opts ...mcpgo.Option) *kit {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}}
	var err error
	k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(verify)), guard.WithAudit(k.log))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, append(asWritten(mcpgo.WithTools(served...)), opts...)...)
	require.NoError(t, err)
	k.serveHTTP()
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	return k
}

// serveHTTP serves the kit's server at its url.
func (k *kit) serveHTTP() {
	web := httptest.NewServer(mcpgo.LimitHandler(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true)), 0))
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

// An era is a generation of the protocol.
type era string

const (
	legacy era = "2025-11-25"
	modern era = "2026-07-28"
)

func eachEra(t *testing.T, f func(*testing.T, era)) {
	t.Helper()
	for _, e := range []era{legacy, modern} {
		t.Run(string(e), func(t *testing.T) { f(t, e) })
	}
}

// client connects mcp-go's client over HTTP.
func (k *kit) client(e era, token string) *client.Client {
	k.t.Helper()
	var options []transport.StreamableHTTPCOption
	if token != "" {
		options = append(options, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	}
	over, err := transport.NewStreamableHTTP(k.url, options...)
	require.NoError(k.t, err)
	return connect(k.t, over, e)
}

// inProcess connects mcp-go's client without a transport: the caller is
// anonymous.
func (k *kit) inProcess(e era) *client.Client {
	k.t.Helper()
	return connect(k.t, transport.NewInProcessTransport(k.server), e)
}

// overStdio connects mcp-go's client by the server's standard streams, which
// are pipes. The caller is anonymous.
func (k *kit) overStdio(e era) *client.Client {
	k.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(k.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.NewStdioServer(k.server).Listen(ctx, in, out)
	}()
	k.t.Cleanup(func() {
		stop()
		_ = in.Close()
		_ = fromServer.Close() // a late answer has no reader any more
		<-ended
	})
	return connect(k.t, transport.NewIO(fromServer, toServer, io.NopCloser(strings.NewReader(""))), e)
}

// connect starts a client. It sets no time limit on the discovery of the era,
// because a slow server would count as one of the older era.
func connect(t *testing.T, over transport.Interface, e era, opts ...client.ClientOption) *client.Client {
	t.Helper()
	c := client.NewClient(over, append(opts, client.WithProtocolVersion(string(e)), client.WithDiscoverTimeout(-1))...)
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	_, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: string(e), ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
	}})
	require.NoError(t, err)
	require.Equal(t, string(e), c.ProtocolVersion())
	return c
}

func callTool(ctx context.Context, c *client.Client, name string, arguments any) (*mcp.CallToolResult, error) {
	return c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: arguments}})
}

func listedNames(t *testing.T, c *client.Client) []string {
	t.Helper()
	result, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	return names(result.Tools)
}

func names(listed []mcp.Tool) []string {
	all := make([]string, len(listed))
	for i, t := range listed {
		all[i] = t.Name
	}
	return all
}

// message returns a request as a client of the era would write it. params is
// JSON.
func message(t *testing.T, e era, id int, method, params string) []byte {
	t.Helper()
	var p map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(params), &p))
	if e == modern {
		meta := map[string]any{}
		if raw, ok := p["_meta"]; ok {
			require.NoError(t, json.Unmarshal(raw, &meta))
		}
		maps.Copy(meta, map[string]any{
			mcp.MetaKeyProtocolVersion:    string(modern),
			mcp.MetaKeyClientInfo:         map[string]any{"name": "test", "version": "1"},
			mcp.MetaKeyClientCapabilities: map[string]any{},
		})
		raw, err := json.Marshal(meta)
		require.NoError(t, err)
		p["_meta"] = raw
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": p})
	require.NoError(t, err)
	return raw
}

// post sends one message over HTTP and returns the answer's body.
func (k *kit) post(e era, token, method, name string, body []byte, headers ...string) string {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.url, strings.NewReader(string(body)))
	require.NoError(k.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", string(e))
	if e == modern {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(k.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(k.t, err)
	return string(answer)
}

// call posts a tools/call.
func (k *kit) call(e era, token, tool, arguments string) string {
	k.t.Helper()
	name, err := json.Marshal(tool)
	require.NoError(k.t, err)
	body := message(k.t, e, 7, "tools/call", `{"name":`+string(name)+`,"arguments":`+arguments+`}`)
	return k.post(e, token, "tools/call", tool, body)
}

// handle passes one message to the server without a transport.
func handle(t *testing.T, s *server.MCPServer, raw string) string {
	t.Helper()
	return handleAs(t, t.Context(), s, raw)
}

func handleAs(t *testing.T, ctx context.Context, s *server.MCPServer, raw string) string {
	t.Helper()
	answer, err := json.Marshal(s.HandleMessage(ctx, json.RawMessage(raw)))
	require.NoError(t, err)
	return string(answer)
}

// An answer is the part of a JSON-RPC response that tests read.
type answer struct {
	ID     any `json:"id"`
	Result *struct {
		Content           []struct{ Text string }    `json:"content"`
		StructuredContent json.RawMessage            `json:"structuredContent"`
		IsError           bool                       `json:"isError"`
		Meta              map[string]json.RawMessage `json:"_meta"`
		Tools             []json.RawMessage          `json:"tools"`
		NextCursor        string                     `json:"nextCursor"`
		CacheScope        string                     `json:"cacheScope"`
		TTLMs             *int64                     `json:"ttlMs"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func parse(t *testing.T, raw string) answer {
	t.Helper()
	var a answer
	unmarshal(t, raw, &a)
	return a
}

func unmarshal(t *testing.T, raw string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), into), "answer: %s", raw)
}

// outcome returns the outcome of a tool's result on the wire.
func outcome(t *testing.T, raw string) contract.Outcome {
	t.Helper()
	a := parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	var o contract.Outcome
	require.NoError(t, json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &o), "answer: %s", raw)
	require.Equal(t, o.Status == contract.StatusError, a.Result.IsError)
	return o
}

// assertRefused asserts a tool's error result on the wire.
func assertRefused(t *testing.T, raw, code string) {
	t.Helper()
	o := outcome(t, raw)
	assert.Equal(t, contract.StatusError, o.Status)
	assert.Equal(t, code, o.Code)
	assert.Empty(t, parse(t, raw).Result.StructuredContent)
}

// assertUnknown asserts the protocol error for a name that does not exist.
func assertUnknown(t *testing.T, raw, name string) {
	t.Helper()
	a := parse(t, raw)
	require.NotNil(t, a.Error, "answer: %s", raw)
	assert.Equal(t, mcp.INVALID_PARAMS, a.Error.Code)
	assert.Equal(t, "tool '"+name+"' not found: tool not found", a.Error.Message)
}

// rules returns the rule and tool of each declaration error, in order.
func rules(err error) []string {
	var all []string
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, strings.TrimSpace(e.Rule+" "+e.Tool))
	}
	return all
}

// A session is a client session with its own tools.
type session struct {
	id    string
	tools map[string]server.ServerTool
}

func (s *session) Initialize()                                         {}
func (s *session) Initialized() bool                                   { return true }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s *session) SessionID() string                                   { return s.id }
func (s *session) GetSessionTools() map[string]server.ServerTool       { return maps.Clone(s.tools) }
func (s *session) SetSessionTools(t map[string]server.ServerTool)      { s.tools = t }

var _ server.SessionWithTools = (*session)(nil)

// intruder returns a tool that was registered without this package, and the
// counter of its runs.
func intruder(name string) (server.ServerTool, *atomic.Int64) {
	runs := &atomic.Int64{}
	return server.ServerTool{
		Tool: mcp.NewTool(name, mcp.WithDescription("An intruder.")),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runs.Add(1)
			return mcp.NewToolResultText("intruder"), nil
		},
	}, runs
}

type optionalIn struct {
	Text string `json:"text,omitempty"`
}

// optional returns a tool whose only argument is optional.
func (n *tools) optional() *contract.Builder[optionalIn, string] {
	return contract.New("notes.read", func(context.Context, optionalIn) (string, error) {
		n.notes.Add(1)
		return "a note", nil
	}).Description("Reads a note.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// nextAnswer returns the next message of a stdio session that is no
// notification. mcp-go has one stdio session in a process, and it keeps the
// notifications that an earlier test did not read.
func nextAnswer(t *testing.T, read *bufio.Reader) string {
	t.Helper()
	for {
		line, err := read.ReadString('\n')
		require.NoError(t, err)
		if !strings.Contains(line, `"method":`) {
			return line
		}
	}
}
