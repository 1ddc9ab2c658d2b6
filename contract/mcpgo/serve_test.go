package mcpgo

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The guard knows nothing of a call that is held up before it.
func TestServeSaysThatAnAnswerWasLost(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithDrain(0), guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return nil })))
	require.NoError(t, err)
	tool := contract.New("a.b", func(context.Context, struct{}) (string, error) { return "", nil }).
		Description("Does little.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	gate := make(chan struct{})
	defer close(gate)
	slow := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-gate
			return next(ctx, req)
		}
	}
	s, err := newServer("s", "1.0.0", g, []Option{Tools(tool), ServerOptions(server.WithToolHandlerMiddleware(slow))})
	require.NoError(t, err)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b","arguments":{}}}` + "\n"
	err = s.serve(t.Context(), strings.NewReader(call+call), io.Discard)
	assert.ErrorIs(t, err, errUnanswered)
}
