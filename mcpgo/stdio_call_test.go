package mcpgo_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// A panic of a hook ends neither the session nor the process, whether a worker
// of mcp-go answers the call or this package.
func TestStdio_HookThatPanicsIsAnsweredAsByMCPGo(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { panic("boom") })
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(pricing().MustBuild()),
		mcpgo.WithServerOptions(server.WithHooks(hooks)))
	require.NoError(t, err)
	in, client := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- mcpgo.ServeStreams(context.Background(), s, in, out) }()
	read := bufio.NewReader(answers)
	for id := range 3 {
		_, err := fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"orders_price"}}`+"\n", id)
		require.NoError(t, err)
		assert.JSONEq(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"internal panic: boom"}}`, id),
			nextAnswer(t, read))
	}
	require.NoError(t, client.Close())
	require.NoError(t, <-served)
}

// A result that a hook made unwritable is answered without its values.
func TestStdio_ResultThatIsNotJSONIsAnsweredWithoutItsValues(t *testing.T) {
	t.Parallel()
	hooks := &server.Hooks{}
	hooks.AddAfterCallTool(func(_ context.Context, _ any, _ *mcp.CallToolRequest, result any) {
		result.(*mcp.CallToolResult).StructuredContent = unwritable{}
	})
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("orders:write")))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(pricing().MustBuild()),
		mcpgo.WithServerOptions(server.WithHooks(hooks)))
	require.NoError(t, err)
	ctx := s.WithContext(t.Context(), server.NewInProcessSession("local", nil))
	answer := mcpgo.AnswerDirectly(ctx, s, []byte(`{"jsonrpc":"2.0","id":"a","method":"tools/call",`+
		`"params":{"name":"orders_price"}}`))
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"internal error: the result cannot be `+
		`written as JSON"}}`, string(answer))
}

// An unwritable is not JSON, and its error has a secret.
type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("password") }
