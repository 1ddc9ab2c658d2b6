package mcpgo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The parts of the kit that depend on no SDK.
type (
	era    = sdktest.Era
	tools  = sdktest.Tools
	empty  = sdktest.Empty
	noteIn = sdktest.NoteIn
	addOut = sdktest.AddOut
)

const (
	legacy = sdktest.Legacy
	modern = sdktest.Modern
)

// reader returns a tool that reads nothing.
func reader(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return "", nil }).
		Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// asWritten adds the options of a server that lists names as the contracts have
// them, with the whole contracts. The options that follow override them.
func asWritten(opts ...mcpgo.Option) []mcpgo.Option {
	return append([]mcpgo.Option{mcpgo.WithNames(contract.Dotted), mcpgo.WithTier(contract.TierFull)}, opts...)
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
	k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(k.log))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, append(asWritten(mcpgo.WithTools(served...)), opts...)...)
	require.NoError(t, err)
	k.serveHTTP()
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	return k
}

// serveHTTP serves the kit's server at its url.
func (k *kit) serveHTTP() {
	web := httptest.NewServer(adapter.LimitHandler(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true)), 0))
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
	// mcp-go names such sessions after the time, and the Windows clock stands
	// still for milliseconds.
	for start := time.Now().UnixNano(); time.Now().UnixNano() == start; {
		time.Sleep(time.Millisecond)
	}
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

// post sends one message over HTTP and returns the answer's body.
func (k *kit) post(e era, token, method, name string, body []byte, headers ...string) string {
	k.t.Helper()
	return sdktest.Post(k.t, k.url, e, token, method, name, body, headers...).Body
}

// call posts a tools/call.
func (k *kit) call(e era, token, tool, arguments string) string {
	k.t.Helper()
	name, err := json.Marshal(tool)
	require.NoError(k.t, err)
	body := sdktest.Message(k.t, e, 7, "tools/call", `{"name":`+string(name)+`,"arguments":`+arguments+`}`)
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

// assertUnknown asserts the protocol error for a name that does not exist.
func assertUnknown(t *testing.T, raw, name string) {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Error, "answer: %s", raw)
	assert.Equal(t, mcp.INVALID_PARAMS, a.Error.Code)
	assert.Equal(t, "tool '"+name+"' not found: tool not found", a.Error.Message)
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
