package mcpgo_test

import (
	"context"
	"errors"
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
		"numbers":    {StructuredContent: map[string]any{"a": make([]int, 300)}},
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

// A parent is not part of its JSON, and leads back to itself.
type parent struct {
	Name  string  `json:"name"`
	Child *parent `json:"-"`
}

func TestProtect_ReadsOnlyWhatAResultHasAsJSON(t *testing.T) {
	t.Parallel()
	own := &parent{Name: "a"}
	own.Child = own
	o := sdktest.Outcome(t, handle(t, protectedOne(t, 0, &mcp.CallToolResult{StructuredContent: own}), ping))
	assert.Equal(t, contract.StatusOK, o.Status)
}

// Middleware may serve a tool by another name than the one that is called.
func TestThreat227_AToolOfAnotherNameIsProtected(t *testing.T) {
	t.Parallel()
	rename := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			req.Params.Name = "other"
			return next(ctx, req)
		}
	}
	s := server.NewMCPServer("one", "1.0.0", server.WithToolHandlerMiddleware(rename))
	s.AddTool(mcp.NewTool("ping"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("password hunter2")
	})
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = mcpgo.Protect(s, belt.Settings{Guard: g})
	require.NoError(t, err)
	answer := handle(t, s, ping)
	assert.Equal(t, contract.CodeInternalError, sdktest.Outcome(t, answer).Code)
	assert.NotContains(t, answer, "hunter2")
}

// A tool that is registered again may share some of its schema with the old one.
func TestProtect_ChecksTheSchemaOfTheToolThatRuns(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("one", "1.0.0")
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = mcpgo.Protect(s, belt.Settings{Guard: g}, belt.Strict())
	require.NoError(t, err)
	tool := mcp.NewTool("ping", mcp.WithString("a"))
	for _, change := range []struct {
		do   func()
		code string
	}{
		{func() {}, ""},
		{func() { tool.InputSchema.Required = []string{"a"} }, contract.CodeInvalidInput},
		{func() { tool.InputSchema.Required = []string{"b"} }, contract.CodeInvalidInput},
		{func() { tool.InputSchema.Required = nil }, ""},
	} {
		change.do()
		s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("pong"), nil
		})
		assert.Equal(t, change.code, sdktest.Outcome(t, handle(t, s, ping)).Code)
	}
}
