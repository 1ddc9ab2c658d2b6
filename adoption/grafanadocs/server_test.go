package grafanadocs_test

import (
	"strings"
	"testing"

	docs "github.com/grafana/mcp-doc-server/pkg/grafanadocs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/grafanadocs"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

const index = `## Grafana Tempo documentation
- [Traces](https://grafana.com/docs/tempo/latest/traces.md): How traces are stored.
`

func start(t *testing.T, permissions ...string) (*drive.Client, *drive.Log) {
	t.Helper()
	loaded, err := docs.LoadIndexFromReader(strings.NewReader(index))
	require.NoError(t, err)
	g, log := drive.Guard(t, permissions...)
	s, report, err := grafanadocs.New(g, loaded)
	require.NoError(t, err)
	require.Len(t, report.Tools, 4)
	contracttest.Check(t, mcpgo.ToolsOf(s)...)
	return drive.Connect(t, s), log
}

func TestSearch_ReturnsDelimitedData(t *testing.T) {
	c, log := start(t, "docs:read")
	assert.Len(t, c.Tools(), 4)
	text, outcome := c.Call("search_docs", map[string]any{"query": "traces"})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "https://grafana.com/docs/tempo/latest/traces.md")
	assert.False(t, strings.HasPrefix(text, "["))
	assert.Len(t, log.Events(audit.Terminal), 1)
}

func TestSearch_WithBadArgumentsIsRefused(t *testing.T) {
	c, _ := start(t, "docs:read")
	_, outcome := c.Call("search_docs", map[string]any{"query": []string{"traces"}})
	assert.Equal(t, contract.CodeInvalidInput, outcome.Code)
}

func TestSearch_NeedsThePermission(t *testing.T) {
	c, _ := start(t)
	assert.Empty(t, c.Tools())
	_, outcome := c.Call("search_docs", map[string]any{"query": "traces"})
	assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
}

func TestGet_OfAnotherSiteFails(t *testing.T) {
	c, _ := start(t, "docs:read")
	_, outcome := c.Call("get_doc", map[string]any{"url": "https://example.com/"})
	assert.Equal(t, contract.ClassFatal, outcome.Class)
}
