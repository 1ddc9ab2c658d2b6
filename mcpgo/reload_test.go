package mcpgo_test

import (
	"bytes"
	"context"
	"log/slog"
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
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// cluster returns the tools of a server that registers all of them again when
// its configuration changes. Their schemas have the clusters that it knows.
func cluster(contexts ...string) []server.ServerTool {
	in := mcp.WithString("context", mcp.Enum(contexts...))
	answer := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.Params.Name + " of " + strings.Join(contexts, ",")), nil
	}
	return []server.ServerTool{
		{Tool: plain("pods_list", in, mcp.WithReadOnlyHintAnnotation(true)), Handler: answer},
		{Tool: plain("pods_delete", in), Handler: answer},
		{Tool: plain("helm.list", in, mcp.WithReadOnlyHintAnnotation(true)), Handler: answer},
	}
}

func clusterRules() wrap.Rules {
	return wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"notes:write"}},
		Tools: map[string]wrap.Rule{
			"pods_delete": {Base: contract.Base{
				Effect: risk.HighRiskWrite, Confirmation: contract.ConfirmationNever, ConfirmationReason: "Tests.",
			}},
		},
	}
}

// A server that reloads its configuration registers its tools again, with other
// schemas. They vanished until a restart.
func TestWrapAll_ToolsThatAreRegisteredAgainAreWrappedAgain(t *testing.T) {
	t.Parallel()
	for name, reload := range map[string]func(s *server.MCPServer, tools []server.ServerTool){
		"SetTools": func(s *server.MCPServer, tools []server.ServerTool) { s.SetTools(tools...) },
		"AddTools": func(s *server.MCPServer, tools []server.ServerTool) { s.AddTools(tools...) },
		"DeleteTools and AddTool": func(s *server.MCPServer, tools []server.ServerTool) {
			s.DeleteTools("pods_list", "pods_delete", "helm_list")
			for _, tool := range tools {
				s.AddTool(tool.Tool, tool.Handler)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("cluster", "1", server.WithToolCapabilities(true))
			s.AddTools(cluster("dev")...)
			_, err := mcpgo.WrapAll(s, forAlice(t), clusterRules())
			require.NoError(t, err)
			k := &kit{t: t, server: s}
			k.serveHTTP()
			call := func(tool, at string) string { return k.call(modern, "alice", tool, `{"context":"`+at+`"}`) }
			c := k.client(modern, "alice")
			all := []string{"helm_list", "pods_delete", "pods_list"}
			require.Equal(t, all, listedNames(t, c))
			sdktest.AssertRefused(t, call("pods_delete", "prod"), contract.CodeInvalidInput)

			reload(s, cluster("dev", "prod"))
			assert.Equal(t, "pods_delete of dev,prod", firstText(t, call("pods_delete", "prod")))
			assert.Equal(t, all, listedNames(t, c))
			assert.Equal(t, "helm.list of dev,prod", firstText(t, call("helm_list", "prod")))
			require.NoError(t, mcpgo.Verify(s))

			s.DeleteTools("pods_list", "pods_delete") // a set of tools is switched off, and on
			assert.Equal(t, []string{"helm_list"}, listedNames(t, c))
			s.AddTools(cluster("prod")[:2]...)
			assert.Equal(t, all, listedNames(t, c))
			sdktest.AssertRefused(t, call("pods_delete", "dev"), contract.CodeInvalidInput)
			assert.Equal(t, "pods_list of prod", firstText(t, call("pods_list", "prod")))
			require.NoError(t, mcpgo.Verify(s))
		})
	}
}

// A change of the definition that makes the contract weaker needs the word of
// the server author.
func TestThreat146_AToolThatIsRegisteredAgainCannotWeakenItsContract(t *testing.T) { //nolint:paralleltest // sets the logger
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s := server.NewMCPServer("cluster", "1")
	s.AddTools(cluster("dev")...)
	rules := clusterRules()
	delete(rules.Tools, "pods_delete")
	_, err := mcpgo.WrapAll(s, forAlice(t), rules)
	require.NoError(t, err)
	k := &kit{t: t, server: s}
	k.serveHTTP()
	strict := cluster("dev")[1]
	weak := strict
	weak.Tool = plain("pods_delete", mcp.WithReadOnlyHintAnnotation(true))
	for range 2 {
		s.AddTools(weak)
		for range 2 {
			assertUnknown(t, k.call(modern, "alice", "pods_delete", `{}`), "pods_delete")
		}
		assert.Equal(t, []string{"verify.replaced pods_delete"}, sdktest.Rules(mcpgo.Verify(s)))
		s.AddTools(strict)
		sdktest.AssertRefused(t, k.call(modern, "alice", "pods_delete", `{}`), contract.CodeConfirmationRequired)
		require.NoError(t, mcpgo.Verify(s))
	}
	assert.Equal(t, 1, strings.Count(lines.String(), "wrap.weaker"), lines.String())
	assert.Contains(t, lines.String(), "declare its effect in a rule, and restart the server")
	assert.NotContains(t, lines.String(), "guessed in part", "the report has equal guesses")
}
