package gosdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// A handler chooses its own JSON-RPC error. One that its own error wraps came
// from somewhere else, and the text around it may hold anything.
func TestThreat227_OnlyAHandlersOwnProtocolErrorReachesTheClient(t *testing.T) {
	t.Parallel()
	own := &jsonrpc.Error{Code: -32099, Message: "try the other server"}
	call := func(err error) (*mcp.CallToolResult, error) {
		s := bare()
		s.AddTool(&mcp.Tool{Name: "ping", InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, err })
		g, _ := newGuard(t)
		_, failed := gosdk.Protect(s, belt.Settings{Guard: g})
		require.NoError(t, failed)
		return callTool(t.Context(), inMemory(t, s, legacy, nil), "ping", map[string]any{})
	}
	_, err := call(own)
	require.ErrorContains(t, err, own.Message)
	r, err := call(fmt.Errorf("db hunter2: %w", own))
	require.NoError(t, err)
	assert.Equal(t, contract.CodeInternalError, outcome(t, r).Code)
	assert.NotContains(t, r.Content[0].(*mcp.TextContent).Text, "hunter2")
}

// protectedOne serves a protected server with one tool.
func protectedOne(t *testing.T, settings belt.Settings, h mcp.ToolHandler) *mcp.Server {
	t.Helper()
	s := bare()
	s.AddTool(&mcp.Tool{Name: "ping", InputSchema: map[string]any{"type": "object"}}, h)
	settings.Guard, _ = newGuard(t)
	_, err := gosdk.Protect(s, settings)
	require.NoError(t, err)
	return s
}

func TestProtect_CountsTheBytesOfEachContent(t *testing.T) {
	t.Parallel()
	long, data := strings.Repeat("x", 300), make([]byte, 300)
	for name, r := range map[string]*mcp.CallToolResult{
		"text":       {Content: []mcp.Content{&mcp.TextContent{Text: long}}},
		"an image":   {Content: []mcp.Content{&mcp.ImageContent{Data: data, MIMEType: "image/png"}}},
		"audio":      {Content: []mcp.Content{&mcp.AudioContent{Data: data, MIMEType: "audio/wav"}}},
		"a resource": {Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: long}}}},
		"a blob":     {Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Blob: data}}}},
		"structured": {Content: []mcp.Content{}, StructuredContent: map[string]any{"a": long}},
		"numbers":    {Content: []mcp.Content{}, StructuredContent: map[string]any{"a": make([]int, 300)}},
	} {
		s := protectedOne(t, belt.Settings{ResultBytes: 200},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return r, nil })
		got, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "ping", map[string]any{})
		require.NoError(t, err, name)
		assert.Equal(t, contract.CodeResultTooLarge, outcome(t, got).Code, name)
	}
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
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: own}, nil
	}
	got, err := callTool(t.Context(), inMemory(t, protectedOne(t, belt.Settings{}, handler), legacy, nil), "ping", map[string]any{})
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, outcome(t, got).Status)
}

// A handler may return the same result to all callers.
func TestProtect_LeavesTheResultOfTheHandlerAlone(t *testing.T) {
	t.Parallel()
	own := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "pong"}}, Meta: mcp.Meta{"a": "b"}}
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return own, nil }
	s := protectedOne(t, belt.Settings{}, handler)
	got, err := callTool(t.Context(), inMemory(t, s, legacy, nil), "ping", map[string]any{})
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, outcome(t, got).Status)
	assert.NotContains(t, own.Meta, contract.MetaKeyOutcome)
}

// Without sessions and tokens the SDK tells nobody apart, and a new session for
// each request is no way around the limit. The subject of a token is a caller.
func TestThreat228_WithoutASessionTheTokenIsTheCaller(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	s := bare()
	s.AddTool(&mcp.Tool{Name: "ping", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	_, err = gosdk.Protect(s, belt.Settings{Guard: g, Calls: 2, Per: time.Hour})
	require.NoError(t, err)
	open := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	known := auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}, nil)(open)
	codes := func(h http.Handler, token string) map[string]int {
		all := map[string]int{}
		for range 3 {
			r := httptest.NewRequest(http.MethodPost, "/mcp",
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			all[sdktest.Outcome(t, w.Body.String()).Code]++
		}
		return all
	}
	limited := map[string]int{"": 2, contract.CodeRateLimitExceeded: 1}
	assert.Equal(t, limited, codes(open, ""))
	assert.Equal(t, map[string]int{contract.CodeRateLimitExceeded: 3}, codes(open, ""), "all strangers share their limit")
	assert.Equal(t, limited, codes(known, "anna"))
	assert.Equal(t, limited, codes(known, "ben"))
}
