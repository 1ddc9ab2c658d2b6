package gosdk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
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
