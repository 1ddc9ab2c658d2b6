package mcpgo_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestNewHandler_TellsHooksThatASessionHasEnded(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 1)
	hooks := &server.Hooks{}
	hooks.AddOnUnregisterSession(func(_ context.Context, s server.ClientSession) { ended <- s.SessionID() })
	h, _ := newHandler(t, mcpgo.WithSessionTimeout(time.Millisecond), mcpgo.WithServerOptions(server.WithHooks(hooks)))
	status, id := sdktest.PostIn(t, h, "", opening)
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, id, <-ended)
	status, _ = sdktest.PostIn(t, h, id, sdktest.Listing)
	assert.Equal(t, http.StatusNotFound, status)
}

// mcp-go registers a session at the end of initialize. One that ended before
// would begin again there, although mcp-go keeps nothing of it.
func TestNewHandler_KeepsASessionWhileAHookDelaysIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		hooks := &server.Hooks{}
		hooks.AddOnRegisterSession(func(context.Context, server.ClientSession) { time.Sleep(time.Hour) })
		hooks.AddOnUnregisterSession(func(_ context.Context, s server.ClientSession) { ended <- s.SessionID() })
		h, _ := newHandler(t, mcpgo.WithSessionTimeout(time.Minute), mcpgo.WithServerOptions(server.WithHooks(hooks)))
		_, id := sdktest.PostIn(t, h, "", opening)
		status, _ := sdktest.PostIn(t, h, id, sdktest.Listing)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, id, <-ended)
		status, _ = sdktest.PostIn(t, h, id, sdktest.Listing)
		assert.Equal(t, http.StatusNotFound, status)
	})
}

// Replicas need not know each other's sessions.
func TestNewHandler_TakesSessionsOfReplicas(t *testing.T) {
	t.Parallel()
	one, _ := newHandler(t)
	other, _ := newHandler(t)
	_, id := sdktest.PostIn(t, one, "", opening)
	for name, want := range map[string]int{id: http.StatusOK, "mcp-session-unknown": http.StatusNotFound,
		id[len("mcp-session-"):]: http.StatusNotFound} {
		status, _ := sdktest.PostIn(t, other, name, sdktest.Listing)
		assert.Equal(t, want, status, name)
	}
}

// A client can choose an id, and mcp-go keeps the log level of each.
func TestHandlerOf_ForgetsTheLogLevelOfAnyID(t *testing.T) {
	t.Parallel()
	const id = "mcp-session-00000000-0000-0000-0000-000000000000"
	for name, stateless := range map[string]bool{"sessions": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			levels := make(chan mcp.LoggingLevel, 1)
			hooks := &server.Hooks{}
			hooks.AddBeforeListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest) {
				if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithLogging); ok {
					levels <- s.GetLogLevel()
				}
			})
			s, err := mcpgo.NewServer("essays", "1.0.0", nil, mcpgo.WithTools(counting()), mcpgo.WithSessionTimeout(time.Millisecond),
				mcpgo.WithServerOptions(server.WithLogging(), server.WithHooks(hooks)))
			require.NoError(t, err)
			h, err := mcpgo.HandlerOf(s, server.WithStateLess(stateless))
			require.NoError(t, err)
			status, _ := sdktest.PostIn(t, h, id, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
			require.Equal(t, http.StatusOK, status)
			assert.Eventually(t, func() bool {
				sdktest.PostIn(t, h, id, sdktest.Listing)
				return <-levels != mcp.LoggingLevelDebug
			}, time.Minute, 10*time.Millisecond)
		})
	}
}

// That version has no sessions, so mcp-go would cancel a call of another client
// that has the same id.
func TestThreat149_CancelsNoCallOfAnotherClient(t *testing.T) {
	t.Parallel()
	running, release := make(chan struct{}), make(chan struct{})
	slow := contract.New("notes.wait", func(ctx context.Context, _ sdktest.Empty) (string, error) {
		close(running)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-release:
			return "done", nil
		}
	}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	h, err := mcpgo.NewHandler("notes", "1.0.0", nil, mcpgo.WithTools(slow))
	require.NoError(t, err)
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	post := func(method, name string, body []byte) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/mcp", bytes.NewReader(body))
		require.NoError(t, err)
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(answer)
	}
	answered := make(chan string, 1)
	go func() {
		_, answer := post("tools/call", "notes_wait", sdktest.Message(t, sdktest.Modern, 1, "tools/call", `{"name":"notes_wait"}`))
		answered <- answer
	}()
	<-running
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	for _, params := range []string{`{"requestId":1}`, `{"requestId":1,"_meta":{` + meta + `}}`} {
		status, answer := post("notifications/cancelled", "",
			[]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":`+params+`}`))
		assert.Equal(t, http.StatusAccepted, status, answer)
	}
	close(release)
	assert.Contains(t, <-answered, "done")
}
