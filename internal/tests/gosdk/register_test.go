package gosdk_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// existing returns a server with a plain tool.
func existing() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1.0.0"}, nil)
	s.AddTool(plain("old"), answering("old"))
	return s
}

// For Register, the test over every SDK checks the same mistakes.
func TestTable_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	_, err := gosdk.NewServer("", "", nil, gosdk.WithTools(nil))
	assert.Equal(t, []string{"serve.name", "serve.version"}, sdktest.Rules(err))
	_, err = gosdk.NewServer("a", "1", nil, gosdk.WithServerOptions(mcp.ServerOptions{PageSize: -1}))
	assert.Equal(t, []string{"serve.rejected"}, sdktest.Rules(err))
	table, err := gosdk.NewTable("kit", "1.0.0", nil, gosdk.WithTools((&tools{}).Add().MustBuild()))
	require.NoError(t, err)
	assert.Equal(t, []string{"serve.name"}, sdktest.Rules(table.Register(existing())), "another name")
	assert.Equal(t, []string{"serve.server"}, sdktest.Rules(table.Register(nil)))
}

func TestVerify_FindsADefinitionThatWasChanged(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	k.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if r, ok := result.(*mcp.ListToolsResult); ok {
				r.Tools[0].Description = "Changed."
			}
			return result, err
		}
	})
	handle(t, k.server, list)
	assert.Equal(t, []string{"verify.changed calc.add"}, sdktest.Rules(gosdk.Verify(k.server)))
	assert.Equal(t, []string{"verify.server"}, sdktest.Rules(gosdk.Verify(nil)))
	assert.Equal(t, []string{"verify.server"}, sdktest.Rules(gosdk.Verify(existing())))
}

// A program can create a server per request, and none of them is kept.
func TestTable_KeepsNoServer(t *testing.T) {
	t.Parallel()
	table, err := gosdk.NewTable("kit", "1.0.0", nil, gosdk.WithTools((&tools{}).Add().MustBuild()))
	require.NoError(t, err)
	gone := make(chan struct{})
	func() {
		s, err := table.NewServer()
		require.NoError(t, err)
		require.NoError(t, gosdk.Verify(s))
		runtime.AddCleanup(s, func(done chan struct{}) { close(done) }, gone)
	}()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("the server stays in memory")
}
