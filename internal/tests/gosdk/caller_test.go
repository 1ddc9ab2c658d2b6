package gosdk_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Only a transport that the server's author declared local counts as local: not
// HTTP, not the SDK's SSE handler, and no other in-memory session.
func TestLocalUser_IsOnlyALocalClient(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := &kit{t: t, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t, guard.WithPrincipal(gosdk.LocalUser("notes:write")))
	table, err := gosdk.NewTable("kit", "1.0.0", k.guard, asWritten(gosdk.WithTools(n.Note(nil).MustBuild()),
		gosdk.WithServerOptions(mcp.ServerOptions{}))...)
	require.NoError(t, err)
	k.server, err = table.NewServer()
	require.NoError(t, err)
	k.serve(table.Handler(func(*http.Request) *mcp.Server { return k.server }))
	sse := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return k.server }, nil))
	t.Cleanup(func() {
		sse.CloseClientConnections()
		sse.Close()
	})
	note := map[string]any{"text": "x"}
	for name, c := range map[string]*mcp.ClientSession{
		"http": k.client(modern, "alice"), "http with a session": k.client(legacy, ""), "memory": k.inProcess(modern),
		"sse": connect(t, &mcp.SSEClientTransport{Endpoint: sse.URL}, legacy, nil),
	} {
		r, err := callTool(t.Context(), c, "notes.write", note)
		require.NoError(t, err)
		assert.Equal(t, contract.CodeUnauthenticated, outcomeOf(t, r).Code, name)
		assert.Empty(t, listedNames(t, c), name)
	}
	assert.Zero(t, n.Notes.Load())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		here, there := mcp.NewInMemoryTransports()
		_, err := k.server.Connect(t.Context(), gosdk.LocalTransport(there), nil)
		require.NoError(t, err)
		c := connect(t, here, e, nil)
		r, err := callTool(t.Context(), c, "notes.write", note)
		require.NoError(t, err)
		assert.False(t, r.IsError)
		assert.Equal(t, []string{"notes.write"}, listedNames(t, c))
	})
	for _, event := range k.events(audit.Terminal)[4:] {
		assert.Equal(t, contract.LocalIssuer, event.Issuer)
	}
}

// The SDK's own transports don't reveal whether their client is local. WrapAll
// reports that before the server runs, and the log does once a client connects.
func TestWrapAll_LocalUserUnderATransportOfTheSDKIsReported(t *testing.T) { //nolint:paralleltest // sets the logger
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	clients := func(source guard.PrincipalSource) (report, said string) {
		lines.Reset()
		s := orders()
		g, _ := newGuard(t, guard.WithPrincipal(source))
		wrapped, err := gosdk.WrapAll(s, g, wrap.Rules{Base: versioned()})
		require.NoError(t, err)
		here, there := mcp.NewInMemoryTransports()
		ran := make(chan error, 1)
		go func() { ran <- s.Run(t.Context(), there) }()
		c := connect(t, here, legacy, nil)
		require.NoError(t, c.Ping(t.Context(), nil))
		require.NoError(t, c.Close())
		<-ran // no more lines are logged after that
		return wrapped.String(), lines.String()
	}
	report, said := clients(gosdk.LocalUser("notes:write"))
	assert.Contains(t, report, "gosdk.ServeStdioServer")
	assert.Contains(t, report, "all 3 tools")
	assert.Equal(t, 1, strings.Count(said, "gosdk.ServeStdioServer"), said)
	report, said = clients(gosdk.Bearer(sdktest.Verify))
	assert.NotContains(t, report, "ServeStdioServer")
	assert.Empty(t, said)
}

// A proxy on the same machine forwards requests under its public name if the
// program's own server has checked the name. Otherwise the SDK refuses them.
func TestHandler_ChecksTheHostOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url, http.NoBody)
	require.NoError(t, err)
	req.Host = "evil.example"
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusForbidden, resp.StatusCode)
}
