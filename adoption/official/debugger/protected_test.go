package debugger_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adoption/official/debugger"
	"github.com/toolcontract/toolcontract/adoption/official/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
)

// One line changes neither the list, whose tools come and go, nor what a client
// reads.
func TestProtect_ChangesNothingButTheOutcome(t *testing.T) {
	variables := map[string]string{"total": "42"}
	bare, protected := debugger.NewUpstream(variables), debugger.NewUpstream(variables)
	g, log := drive.Guard(t)
	_, err := gosdk.Protect(protected, belt.Settings{Guard: g})
	require.NoError(t, err)
	serve := func(s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	}
	calls := []drive.RawCall{
		{Tool: "debug", Arguments: `{"mode":"compile"}`, Code: contract.CodeToolFatal},
		{Tool: "debug", Arguments: `{}`, Code: contract.CodeToolFatal},
		{Tool: "debug", Arguments: `{"mode":"binary","path":"/bin/shop"}`},
		{Tool: "evaluate", Arguments: `{"expression":"total"}`},
		{Tool: "evaluate", Arguments: `{"expression":"sum"}`, Code: contract.CodeToolFatal},
		{Tool: "evaluate", Arguments: `{"expression":7}`, Code: contract.CodeToolFatal},
		{Tool: "breakpoint", Arguments: `{"file":"main.go","line":3}`},
		{Tool: "step", Arguments: `{"mode":"over"}`},
		{Tool: "context", Arguments: `{}`},
		{Tool: "stop", Arguments: `{}`},
	}
	drive.Compare(t, serve(bare), serve(protected), calls...)
	assert.Len(t, log.Events(audit.Terminal), len(calls))
}
