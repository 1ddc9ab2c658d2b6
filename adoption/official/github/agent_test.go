package github_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/official/github"
	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

// The server without contracts marks its reads, and a person sees its writes.
func TestAgent_CallsReadsByTheirHintsAndShowsWrites(t *testing.T) {
	h := new(hub)
	s, err := github.NewUpstream(h.client(t))
	require.NoError(t, err)
	asked := 0
	host := agent.Host{Ask: func(context.Context, agent.Question) (agent.Answer, error) {
		asked++
		return agent.Answer{Action: agent.Decline}, nil
	}}
	a, err := agent.Connect(t.Context(),
		client.New(client.InProcess(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))),
		agent.Options{Host: host})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })

	r, err := a.Call(t.Context(), "list_branches", shop)
	require.NoError(t, err)
	assert.Contains(t, r.Text, "main")
	assert.Zero(t, asked)

	var retry *agent.RetryError
	_, err = a.Call(t.Context(), "add_issue_comment", comment)
	require.ErrorAs(t, err, &retry)
	assert.Equal(t, contract.CodeConfirmationDeclined, retry.Code)
	assert.Equal(t, 1, asked)
	assert.Zero(t, h.comments.Load())
}
