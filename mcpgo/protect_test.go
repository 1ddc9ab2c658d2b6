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

// protectedOne returns a protected server with one tool that returns a result.
func protectedOne(t *testing.T, limit int64, r *mcp.CallToolResult) *server.MCPServer {
	t.Helper()
	s := server.NewMCPServer("one", "1.0.0")
	s.AddTool(mcp.NewTool("ping"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return r, nil })
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = mcpgo.Protect(s, belt.Settings{Guard: g, ResultBytes: limit})
	require.NoError(t, err)
	return s
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`

func TestProtect_CountsTheBytesOfEachContent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for name, r := range map[string]*mcp.CallToolResult{
		"text":     mcp.NewToolResultText(long),
		"an image": {Content: []mcp.Content{mcp.NewImageContent(long, "image/png")}},
		"audio":    {Content: []mcp.Content{mcp.NewAudioContent(long, "audio/wav")}},
		"a resource": {Content: []mcp.Content{
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "a:b", Text: long})}},
		"a blob":     {Content: []mcp.Content{mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "a:b", Blob: long})}},
		"structured": {StructuredContent: map[string]any{"a": long}},
	} {
		o := sdktest.Outcome(t, handle(t, protectedOne(t, 200, r), ping))
		assert.Equal(t, contract.CodeResultTooLarge, o.Code, name)
	}
}

// A handler may return the same result to all callers.
func TestProtect_LeavesTheResultOfTheHandlerAlone(t *testing.T) {
	t.Parallel()
	own := mcp.NewToolResultText("pong")
	o := sdktest.Outcome(t, handle(t, protectedOne(t, 0, own), ping))
	assert.Equal(t, contract.StatusOK, o.Status)
	assert.Nil(t, own.Meta)
}
