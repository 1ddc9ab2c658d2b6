package github_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adoption/official/github"
	"github.com/toolcontract/toolcontract/adoption/official/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
)

// One line changes neither the list of 116 tools nor what a client reads.
func TestProtect_ChangesNothingButTheOutcome(t *testing.T) {
	client := new(hub).client(t)
	bare, err := github.NewUpstream(client)
	require.NoError(t, err)
	protected, err := github.NewUpstream(client)
	require.NoError(t, err)
	g, log := drive.Guard(t)
	report, err := gosdk.Protect(protected, belt.Settings{Guard: g})
	require.NoError(t, err)
	assert.Len(t, report.Tools, 116)
	serve := func(s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	}
	calls := []drive.RawCall{
		{Tool: "list_branches", Arguments: `{"owner":"acme","repo":"shop"}`},
		{Tool: "list_branches", Arguments: `{"owner":"acme","repo":"none"}`, Code: contract.CodeToolRetry},
		{Tool: "list_branches", Arguments: `{"owner":"acme"}`, Code: contract.CodeToolRetry},
		{Tool: "list_branches", Arguments: `{"owner":"acme","repo":"shop","page":"1"}`},
		{Tool: "list_branches", Arguments: `{"owner":"acme","repo":"shop","OWNER":"other"}`},
		{Tool: "issue_read", Arguments: `{"method":"get","owner":"acme","repo":"shop","issue_number":7}`},
		{Tool: "issue_read", Arguments: `{"method":"get","owner":"acme","repo":"shop","issue_number":8}`,
			Code: contract.CodeInternalError, Masked: true},
		{Tool: "issue_read", Arguments: `{"method":"burn","owner":"acme","repo":"shop","issue_number":7}`,
			Code: contract.CodeToolRetry},
		{Tool: "add_issue_comment", Arguments: `{"owner":"acme","repo":"shop","issue_number":7,"body":"Shipped."}`},
		{Tool: "add_issue_comment", Arguments: `{"owner":"acme","repo":"none","issue_number":7,"body":"x"}`,
			Code: contract.CodeToolFatal},
		{Tool: "get_me", Arguments: `{}`, Code: contract.CodeToolRetry},
	}
	drive.Compare(t, serve(bare), serve(protected), calls...)
	assert.Len(t, log.Events(audit.Terminal), len(calls))
}
