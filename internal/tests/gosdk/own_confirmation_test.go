package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
)

// ownQuestion is a form without fields, as sent by servers with a confirmation
// of their own.
var ownQuestion = &mcp.ElicitParams{Message: "The server asks.", RequestedSchema: map[string]any{
	"type": "object", "properties": map[string]any{},
}}

func dropped(answer *mcp.ElicitResult, err error) (*mcp.CallToolResult, error) {
	text := "dropped"
	if err != nil || answer.Action != "accept" {
		text = "denied by the server"
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

func base(c contract.Confirmation) contract.Base {
	b := versioned()
	b.Effect, b.Confirmation = risk.LowRiskWrite, c
	return b
}

// One handler leaves its context behind, and another asks with it.
func TestThreat161_AContextThatAHandlerKeepsHasNoApproval(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	var kept context.Context
	for _, name := range []string{"keep", "later"} {
		s.AddTool(&mcp.Tool{Name: name, Description: "Drops it.", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if name == "later" {
					return dropped(r.Session.Elicit(context.WithoutCancel(kept), ownQuestion))
				}
				kept = ctx
				return &mcp.CallToolResult{}, nil
			})
	}
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: base(contract.ConfirmationNever), Tools: map[string]wrap.Rule{
		"keep": {Base: base(contract.ConfirmationAlways), Options: []wrap.Option{wrap.WithAnsweredConfirmation()}},
	}})
	require.NoError(t, err)
	c := k.clientOf(legacy, "alice", &person{answer: approves})
	_, err = callTool(t.Context(), c, "keep", nil)
	require.NoError(t, err)
	r, err := callTool(t.Context(), c, "later", nil)
	require.NoError(t, err)
	assert.Equal(t, "denied by the server", r.Content[0].(*mcp.TextContent).Text) // the SDK asks nothing after a call ends
}
