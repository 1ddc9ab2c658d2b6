package mcpgo_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// Only mcp-go registers several tools in one call. The test over every SDK
// registers them again one by one.
func TestWrapAll_SetToolsAndAddToolsAreWrappedAgain(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(*server.MCPServer, ...server.ServerTool){
		"SetTools": (*server.MCPServer).SetTools,
		"AddTools": (*server.MCPServer).AddTools,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("cluster", "1", server.WithToolCapabilities(true))
			load := func(contexts ...string) {
				answer := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return mcp.NewToolResultText(r.Params.Name + " of " + strings.Join(contexts, ",")), nil
				}
				in, reads := mcp.WithString("context", mcp.Enum(contexts...)), mcp.WithReadOnlyHintAnnotation(true)
				register(s, server.ServerTool{Tool: plain("pods_list", in, reads), Handler: answer},
					server.ServerTool{Tool: plain("helm.list", in, reads), Handler: answer})
			}
			load("dev")
			_, err := mcpgo.WrapAll(s, forAlice(t), wrap.Rules{Base: versioned()})
			require.NoError(t, err)
			k := &kit{t: t, server: s}
			k.serveHTTP()
			call := func(tool string) string { return k.call(modern, "alice", tool, `{"context":"prod"}`) }
			sdktest.AssertRefused(t, call("pods_list"), contract.CodeInvalidInput)

			load("dev", "prod")
			assert.Equal(t, "pods_list of dev,prod", firstText(t, call("pods_list")))
			assert.Equal(t, []string{"helm_list", "pods_list"}, listedNames(t, k.client(modern, "alice")))
			assert.Equal(t, "helm.list of dev,prod", firstText(t, call("helm_list")))
			require.NoError(t, mcpgo.Verify(s))
		})
	}
}
