package grafanadocs_test

import (
	"strings"
	"testing"

	"github.com/grafana/mcp-doc-server/pkg/grafanadocs"
	upstream "github.com/grafana/mcp-doc-server/pkg/grafanadocs/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// One line changes neither the list nor what a client reads.
func TestProtect_ChangesNothingButTheOutcome(t *testing.T) {
	loaded, err := grafanadocs.LoadIndexFromReader(strings.NewReader(index))
	require.NoError(t, err)
	bare, protected := upstream.NewMCPServer(loaded, "1.0.0"), upstream.NewMCPServer(loaded, "1.0.0")
	g, log := drive.Guard(t)
	_, err = mcpgo.Protect(protected, belt.Settings{Guard: g})
	require.NoError(t, err)
	serve := func(s *server.MCPServer) *server.StreamableHTTPServer {
		return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
	}
	calls := []drive.RawCall{
		{Tool: "search_docs", Arguments: `{"query":"traces"}`},
		{Tool: "search_docs", Arguments: `{"query":"nothing of the kind"}`},
		{Tool: "search_docs", Arguments: `{"query":"traces","limit":1}`},
		{Tool: "search_docs", Arguments: `{"query":["traces"]}`, Code: contract.CodeToolRetry},
		{Tool: "search_docs", Arguments: `{}`, Code: contract.CodeToolRetry},
		{Tool: "get_doc", Arguments: `{"url":"https://example.com/"}`, Code: contract.CodeToolRetry},
		{Tool: "get_doc", Arguments: `{}`, Code: contract.CodeToolRetry},
	}
	drive.Compare(t, serve(bare), serve(protected), calls...)
	assert.Len(t, log.Events(audit.Terminal), len(calls))
}
