package mcpgo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/stdio"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// In a synctest bubble, the drain time does not pass while a call can still be
// answered.
func TestServe_AnswersCallsThatMCPGoHadNoRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 250
		g, err := guard.New(guard.WithTimes(guard.Times{Drain: -1}), guard.WithAudit(&audit.Recorder{}))
		require.NoError(t, err)
		begun := make(chan struct{}, calls)
		tool := contract.New("a.b", func(ctx context.Context, _ struct{}) (string, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		}).Description("Does not end by itself.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
		s, err := newServer("s", "1.0.0", g, []Option{WithTools(tool)})
		require.NoError(t, err)
		var in strings.Builder
		for id := range calls {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a_b","arguments":{}}}`+"\n", id)
		}
		end := readerFunc(func([]byte) (int, error) {
			for range 6 { // mcp-go has five workers
				<-begun
			}
			return 0, io.EOF
		})
		var out bytes.Buffer
		err = s.serve(t.Context(), io.MultiReader(strings.NewReader(in.String()), end), &out)
		assert.NotErrorIs(t, err, stdio.ErrUnanswered)
		assert.Equal(t, calls, bytes.Count(out.Bytes(), []byte(`"code":"unavailable"`)))
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The guard does not count a call that waits in middleware outside it.
func TestServe_ReportsALostAnswer(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithTimes(guard.Times{Drain: -1}), guard.WithAudit(&audit.Recorder{}))
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
	s, err := newServer("s", "1.0.0", g, []Option{WithTools(tool), WithServerOptions(server.WithToolHandlerMiddleware(slow))})
	require.NoError(t, err)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b","arguments":{}}}` + "\n"
	err = s.serve(t.Context(), strings.NewReader(call+call), io.Discard)
	assert.ErrorIs(t, err, stdio.ErrUnanswered)
}
