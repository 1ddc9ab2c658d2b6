package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// Without sessions, mcp-go takes any session id that a client makes up. It is no
// way around the limit.
func TestThreat228_AMadeUpSessionHasNoLimitOfItsOwn(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("open", "1.0.0")
	s.AddTool(mcp.NewTool("ping"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("pong"), nil
	})
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = mcpgo.Protect(s, belt.Settings{Guard: g, Calls: 2, Per: time.Hour})
	require.NoError(t, err)
	web := server.NewStreamableHTTPServer(s, server.WithStateLess(true))
	codes := map[string]int{}
	for i := range 5 {
		r := httptest.NewRequest(http.MethodPost, "/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", fmt.Sprintf("mcp-session-%d", i))
		w := httptest.NewRecorder()
		web.ServeHTTP(w, r)
		codes[sdktest.Outcome(t, w.Body.String()).Code]++
	}
	assert.Equal(t, map[string]int{"": 2, contract.CodeRateLimitExceeded: 3}, codes)
}
