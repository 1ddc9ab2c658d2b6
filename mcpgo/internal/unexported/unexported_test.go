package unexported_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// If this test fails after an update, mcp-go no longer does what the error
// says, and no server can be made. Find another way in unexported.go first.
func TestCheck_TheLinkedVersionOfMCPGoKeepsWhatIsReliedOn(t *testing.T) {
	t.Parallel()
	require.NoError(t, unexported.Check())
}

type caller struct{ calls int }

func (c *caller) Call(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c.calls++
	return &mcp.CallToolResult{}, nil
}

func TestCallerOf_KnowsExactlyTheHandlersOfThisPackage(t *testing.T) {
	t.Parallel()
	one, two := &caller{}, &caller{}
	handler := unexported.Handler(one)
	assert.Same(t, one, unexported.CallerOf(handler))
	assert.Same(t, two, unexported.CallerOf(unexported.Handler(two)))
	assert.Nil(t, unexported.CallerOf(nil))
	assert.Zero(t, one.calls, "asking is no call")

	ran := false
	foreign := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran = true
		return handler(ctx, req)
	}
	assert.Nil(t, unexported.CallerOf(foreign), "a handler around one of this package is foreign")
	assert.False(t, ran, "a foreign handler is never called")

	_, err := handler(t.Context(), mcp.CallToolRequest{})
	require.NoError(t, err)
	assert.Equal(t, 1, one.calls)
}

func TestPrivacy_EndsWhenTheContextIsAskedForTheServer(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var p unexported.Privacy
	assert.False(t, p.Holds(), "the zero value is not private")
	assert.Equal(t, t.Context(), p.Watch(t.Context()))

	var ctx context.Context
	s.AddNotificationHandler("n", func(of context.Context, _ mcp.JSONRPCNotification) { ctx = of })
	s.HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","method":"n"}`))
	p.Begin()
	watched := p.Watch(ctx)
	assert.Nil(t, server.ClientSessionFromContext(watched))
	assert.True(t, p.Holds(), "anything else may be asked for")
	assert.Same(t, s, server.ServerFromContext(watched))
	assert.False(t, p.Holds())
}
