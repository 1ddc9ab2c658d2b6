package mcpgo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	serving "github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/trust"
)

type essay struct {
	Text string `json:"text" jsonschema:"maxLength=9000000"`
}

type length struct {
	Bytes int `json:"bytes"`
}

// counting returns a tool whose arguments can be larger than the default.
func counting() *contract.Tool {
	return contract.New("essays.count", func(_ context.Context, in essay) (length, error) { return length{len(in.Text)}, nil }).
		Description("Counts the bytes of an essay.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MaxArgumentBytes(
		8 << 20).MustBuild()
}

// newHandler returns the endpoint of the tool.
func newHandler(t *testing.T, opts ...mcpgo.Option) (http.Handler, *guard.Guard) {
	t.Helper()
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(func(context.Context, string) (guard.Principal, error) {
		return guard.Principal{Subject: "alice"}, nil
	})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	h, err := mcpgo.NewHandler("essays", "1.0.0", g, append(opts, mcpgo.WithTools(counting()))...)
	require.NoError(t, err)
	return h, g
}

// newHandlerOf returns an endpoint of the tool with options of the transport.
func newHandlerOf(t *testing.T, opts ...server.StreamableHTTPOption) http.Handler {
	t.Helper()
	g, err := guard.New()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	s, err := mcpgo.NewServer("essays", "1.0.0", g, mcpgo.WithTools(counting()))
	require.NoError(t, err)
	h, err := mcpgo.HandlerOf(s, opts...)
	require.NoError(t, err)
	return h
}

func TestNewHandler_TakesTheLargestArgumentsOfItsTools(t *testing.T) {
	t.Parallel()
	h, g := newHandler(t)
	web, err := serving.Listen("127.0.0.1:0", serving.Config{})
	require.NoError(t, err)
	web.Handle("/mcp", h)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, g) }()

	over, err := transport.NewStreamableHTTP(web.Origin()+"/mcp",
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer x"}))
	require.NoError(t, err)
	c := client.NewClient(over)
	require.NoError(t, c.Start(t.Context()))
	_, err = c.Initialize(t.Context(), mcp.InitializeRequest{})
	require.NoError(t, err)
	for size, ok := range map[int]bool{7 << 20: true, 9 << 20: false} {
		_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
			Name: "essays_count", Arguments: map[string]any{"text": strings.Repeat("x", size)},
		}})
		assert.Equal(t, ok, err == nil, size)
	}
	require.NoError(t, c.Close())
	stop()
	require.NoError(t, <-ended)
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"test","version":"1"}}}`

// mcp-go allows only local names at a loopback address, and a proxy may forward
// the public one.
func TestNewHandler_TrustsOnlyAServerThatChecksTheHost(t *testing.T) {
	t.Parallel()
	open := func(url, host string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(opening))
		require.NoError(t, err)
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	h, g := newHandler(t)
	bare := httptest.NewServer(h)
	t.Cleanup(bare.Close)
	assert.Equal(t, http.StatusForbidden, open(bare.URL, "mail.example.com"))

	at := make(chan string, 1)
	inner := httptest.NewUnstartedServer(nil).Listener // an open port
	web, err := serving.New(inner, serving.Config{
		Origin: "https://mail.example.com", Started: func(string) { at <- "http://" + inner.Addr().String() },
	})
	require.NoError(t, err)
	web.Handle("/mcp", h)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, g) }()
	url := <-at
	assert.Equal(t, http.StatusOK, open(url, "mail.example.com"))
	assert.Equal(t, http.StatusMisdirectedRequest, open(url, "evil.example"))
	stop()
	require.NoError(t, <-ended)
}

func TestHandlerOf_PassesOptionsToTheTransport(t *testing.T) {
	t.Parallel()
	h := newHandlerOf(t, server.WithStreamableHTTPCORS(server.WithCORSAllowedOrigins("https://inspector.example.com")))
	r := httptest.NewRequest(http.MethodOptions, "/mcp", nil)
	r.Header.Set("Origin", "https://inspector.example.com")
	r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, "https://inspector.example.com", w.Header().Get("Access-Control-Allow-Origin"))
}

func TestNewHandler_ReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]mcpgo.Option{
		"a nil option":            {nil},
		"two tools with one name": {mcpgo.WithTools(counting(), counting())},
	} {
		h, err := mcpgo.NewHandler("essays", "1.0.0", nil, opts...)
		assert.Nil(t, h, name)
		var wrong *contract.DeclarationError
		assert.ErrorAs(t, err, &wrong, name)
	}
}

func TestLimitHandler_RefusesALargeCallBeforeMCPGoReadsIt(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	web := httptest.NewServer(adapter.LimitHandler(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true)), 1000))
	t.Cleanup(web.Close)
	k.url = web.URL
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "alice", "notes.write", `{"text":"`+strings.Repeat("x", 1000)+`"}`)
		assert.Equal(t, -32600, sdktest.Parse(t, raw).Error.Code)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "notes.write", `{"text":"x"}`)).Status)
	})
	assert.EqualValues(t, 2, n.Notes.Load())
}
