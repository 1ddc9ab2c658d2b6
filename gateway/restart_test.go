package gateway_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/risk"
)

// A forgetful is an mcp-go server that knows no session after a restart, and
// says so with status 400, as the TypeScript SDK's examples do.
type forgetful struct {
	mu       sync.Mutex
	inner    http.Handler
	sessions map[string]bool
}

// restart starts again without sessions. Its tool writes.
func (f *forgetful) restart() {
	s := mcpserver.NewMCPServer("forgetful", "1")
	note := mcp.NewTool("note", mcp.WithDescription("Notes."), mcp.WithDestructiveHintAnnotation(false))
	s.AddTool(note, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("noted"), nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inner, f.sessions = mcpserver.NewStreamableHTTPServer(s), map[string]bool{}
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	isInitialize := bytes.Contains(body, []byte(`"initialize"`))
	if r.Method != http.MethodPost || !isInitialize && !f.sessions[r.Header.Get("Mcp-Session-Id")] {
		http.Error(w, "Bad Request: No valid session ID provided", http.StatusBadRequest)
		return
	}
	f.inner.ServeHTTP(w, r)
	if isInitialize {
		f.sessions[w.Header().Get("Mcp-Session-Id")] = true
	}
}

func TestCall_AServerThatWasRestartedIsCalledAgain(t *testing.T) {
	t.Parallel()
	behind := &forgetful{}
	behind.restart()
	web := httptest.NewServer(behind)
	t.Cleanup(web.Close)
	var log syncBuffer
	k := newKit(t, map[string]*server{"notes": {client: client.New(client.HTTP{URL: web.URL + "/mcp"})}},
		gateway.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Catalog: catalog.Options{Overrides: catalog.Overrides{
			Format: 1, Servers: map[string]catalog.ServerOverrides{
				"notes": {AllTools: &catalog.Override{Reason: "Its notes are small.", Effect: risk.LowRiskWrite}},
			},
		}}})
	k.refresh()
	for range 2 {
		behind.restart()
		a := k.call("note")
		assert.Equal(t, contract.StatusOK, a.Outcome.Status, "%+v", a.Outcome)
	}
	assert.Contains(t, log.String(), "no longer knows the session")
	assert.Contains(t, log.String(), "HTTP status 400")

	behind.restart()
	cycle, err := k.gw.Refresh(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, cycle.Servers[0].Problems)
	cycle, err = k.gw.Refresh(t.Context())
	require.NoError(t, err)
	assert.Empty(t, cycle.Servers[0].Problems)
}
