package mcpgo_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// ownQuestion is a form without fields, as servers with a confirmation of their
// own send it.
var ownQuestion = mcp.ElicitationParams{Message: "The server asks.", RequestedSchema: map[string]any{
	"type": "object", "properties": map[string]any{},
}}

func dropped(answer *mcp.ElicitationResult, err error) (*mcp.CallToolResult, error) {
	text := "denied by the server"
	if err == nil && answer.Action == mcp.ElicitationResponseActionAccept {
		text = "dropped"
	}
	return mcp.NewToolResultText(text), nil
}

// asksWithin returns a handler that asks within the call, as it can with
// clients older than 2026-07-28.
func asksWithin(q mcp.ElicitationParams) server.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return dropped(server.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: q,
		}))
	}
}

func dropper(h server.ToolHandlerFunc, declare func(*wrap.Builder), opts ...wrap.Option) *contract.Tool {
	b := mcpgo.Wrap(plain("drop"), h, append(opts, wrap.WithRounds(2))...).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
	declare(b)
	return b.MustBuild()
}

// An approved handler calls other tools with its own context: in a client of
// the process, and as a message of its own session.
func TestThreat161_AnApprovalDoesNotReachTheCallsOfAHandler(t *testing.T) {
	t.Parallel()
	var k *kit
	inner := dropper(asksWithin(ownQuestion), func(*wrap.Builder) {}, wrap.WithAnsweredConfirmation())
	outer := mcpgo.Wrap(plain("outer"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := connect(t, transport.NewInProcessTransportWithOptions(k.server,
			transport.WithElicitationHandler(&person{answer: declines})), legacy)
		direct, err := callTool(ctx, c, "drop", nil)
		if err != nil {
			return nil, err
		}
		raw := handleAs(t, ctx, k.server, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop"}}`)
		return mcp.NewToolResultText(mcp.GetTextFromContent(direct.Content[0]) + raw), nil
	}, wrap.WithAnsweredConfirmation()).
		Version("1.0.0").Effect(risk.HighRiskWrite).Trust(trust.Trusted).NoPermissions("All callers may.").MustBuild()
	k = newKit(t, []*contract.Tool{inner, outer})
	k.serveSessions()
	p := &person{answer: approves}
	r, err := callTool(t.Context(), k.clientOf(legacy, "alice", p), "outer", nil)
	require.NoError(t, err)
	text := mcp.GetTextFromContent(r.Content[0])
	assert.Contains(t, text, "dropped")
	assert.EqualValues(t, 2, p.asked.Load())
}

// A handler keeps the session of an approved call, and another one asks by it.
func TestThreat161_ASessionThatAHandlerKeepsHasNoApproval(t *testing.T) {
	t.Parallel()
	var kept server.SessionWithElicitation
	keep := dropper(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		kept, _ = server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
		return mcp.NewToolResultText("kept"), nil
	}, func(b *wrap.Builder) { b.ConfirmAlways() }, wrap.WithAnsweredConfirmation())
	later := mcpgo.Wrap(plain("later"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return dropped(kept.RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: ownQuestion,
		}))
	}).Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).NoPermissions("All callers may.").MustBuild()
	k := newKit(t, []*contract.Tool{keep, later})
	k.serveSessions()
	p := &person{answer: approves}
	c := k.clientOf(legacy, "alice", p)
	for _, tool := range []string{"drop", "later"} {
		_, err := callTool(t.Context(), c, tool, nil)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, p.asked.Load())
	assert.Equal(t, "The server asks.", p.last.Load().Message)
}

// The report names who asks, and what a client that cannot ask gets.
func TestWrapAll_HandsOverAConfirmation(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	s := server.NewMCPServer("orders", "1.0.0")
	for _, name := range []string{"drop", "archive", "look"} {
		s.AddTool(plain(name, mcp.WithReadOnlyHintAnnotation(name == "look")), asksWithin(ownQuestion))
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")))
	require.NoError(t, err)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	report, err := mcpgo.WrapAll(s, g, wrap.Rules{
		Base: versioned(), Options: []wrap.Option{wrap.WithAnsweredConfirmation()},
		Tools: map[string]wrap.Rule{"archive": {Base: contract.Base{
			Effect: risk.HighRiskWrite, Confirmation: contract.ConfirmationUpstream,
		}}},
	}, mcpgo.WithStreams(in, out))
	require.NoError(t, err)
	asks := map[string]string{}
	for _, tool := range report.Tools {
		for _, change := range tool.Changes {
			if strings.Contains(change, "cannot ask") {
				asks[tool.Name] = change
			}
		}
	}
	assert.Equal(t, map[string]string{
		"drop": "an approved call also answers the server's own confirmation if it has no fields, " +
			"and a client that cannot ask gets confirmation_required",
		"archive": "only the server itself asks a person, and decides what a client that cannot ask gets",
	}, asks)
	assert.Regexp(t, `archive +high-risk-write +high +trusted +upstream`, report.String())

	ended := make(chan error, 1)
	go func() { ended <- mcpgo.ServeStdioServer(s) }()
	p := &person{answer: approves}
	c := connect(t, transport.NewIO(fromServer, toServer, io.NopCloser(strings.NewReader(""))), legacy,
		client.WithElicitationHandler(p))
	for _, name := range []string{"drop", "archive", "look"} {
		r, err := callTool(t.Context(), c, name, nil)
		require.NoError(t, err)
		assert.Equal(t, "dropped", mcp.GetTextFromContent(r.Content[0]), name)
		assert.EqualValues(t, 1, p.asked.Swap(0), name)
		assert.Equal(t, name == "drop", p.last.Load().Message != ownQuestion.Message, name)
	}
	require.NoError(t, toServer.Close())
	require.NoError(t, <-ended)
}
