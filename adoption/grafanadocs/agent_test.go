package grafanadocs_test

import (
	"strings"
	"testing"

	docs "github.com/grafana/mcp-doc-server/pkg/grafanadocs"
	bare "github.com/grafana/mcp-doc-server/pkg/grafanadocs/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/risk"
)

// The server without contracts marks its tools as reads.
func TestAgent_CallsReadsByTheirHintsWithoutAPerson(t *testing.T) {
	loaded, err := docs.LoadIndexFromReader(strings.NewReader(index))
	require.NoError(t, err)
	a, err := agent.Connect(t.Context(), client.New(client.InProcess(server.NewStreamableHTTPServer(bare.NewMCPServer(loaded,
		"1.0.0")))), agent.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	tool, ok := a.Tool("search_docs")
	require.True(t, ok)
	assert.Equal(t, agent.OriginHints, tool.Origin)
	assert.Equal(t, risk.ReadOnly, tool.Contract.Effect)
	r, err := a.Call(t.Context(), "search_docs", map[string]any{"query": "traces"})
	require.NoError(t, err)
	assert.Contains(t, r.Text, "https://grafana.com/docs/tempo/latest/traces.md")
	assert.Contains(t, r.Prompt(), "<untrusted-content-")
}
