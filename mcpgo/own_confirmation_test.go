package mcpgo_test

import (
	"context"
	"encoding/json"
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
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// ownQuestion is a form without fields, as servers with a confirmation of their
// own send it.
var ownQuestion = mcp.ElicitationParams{Message: "The server asks.", RequestedSchema: map[string]any{
	"type": "object", "properties": map[string]any{},
}}

// booleanForm is the question of a server whose person agrees by fields.
func booleanForm(fields ...string) mcp.ElicitationParams {
	properties := map[string]any{}
	for _, name := range fields {
		properties[name] = map[string]any{"type": "boolean", "title": "Really?"}
	}
	return mcp.ElicitationParams{Message: "The server asks.", RequestedSchema: map[string]any{
		"type": "object", "properties": properties,
	}}
}

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

// asksByResult returns a handler whose question is a result.
func asksByResult(q mcp.ElicitationParams) server.ToolHandlerFunc {
	return func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer := server.ElicitationResponse(r.Params.InputResponses, "own"); answer != nil {
			return dropped(answer, nil)
		}
		return server.NewInputRequestBuilder("state").Elicit("own", q).ToolResult(), nil
	}
}

func dropper(h server.ToolHandlerFunc, declare func(*wrap.Builder), opts ...wrap.Option) *contract.Tool {
	b := mcpgo.Wrap(plain("drop"), h, append(opts, wrap.WithRounds(2))...).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
	declare(b)
	return b.MustBuild()
}

func upstream(b *wrap.Builder) { b.From(contract.Base{Confirmation: contract.ConfirmationUpstream}) }

func TestOwnConfirmation_OneOfTheTwoAsks(t *testing.T) {
	t.Parallel()
	always := func(b *wrap.Builder) { b.ConfirmAlways() }
	never := func(*wrap.Builder) {}
	withField := textForm("confirm") // answered with a boolean below, which no one checks
	answers := []wrap.Option{wrap.WithAnsweredConfirmation()}
	named := []wrap.Option{wrap.WithAnsweredConfirmation("confirmed", "sure")}
	required := booleanForm("confirmed")
	required.RequestedSchema.(map[string]any)["required"] = []any{"confirmed"}
	other := booleanForm("confirmed")
	other.RequestedSchema.(map[string]any)["required"] = []any{"force"}
	lacking := ownQuestion
	lacking.RequestedSchema = map[string]any{"type": "object", "required": []any{"force"}}
	for name, c := range map[string]struct {
		question mcp.ElicitationParams
		declare  func(*wrap.Builder)
		opts     []wrap.Option
		asked    int64
		last     string // a part of the last question
	}{
		"both without a rule":                    {ownQuestion, always, nil, 2, "The server asks."},
		"the contract":                           {ownQuestion, always, answers, 1, "Allow"},
		"the contract, by a function":            {ownQuestion, func(b *wrap.Builder) { b.ConfirmWhen(yes) }, answers, 1, "Allow"},
		"the server, by the contract":            {ownQuestion, upstream, nil, 1, "The server asks."},
		"the server, of a call without approval": {ownQuestion, never, answers, 1, "The server asks."},
		"both, if the form has a field":          {withField, always, answers, 2, "Which confirm?"},
		"both, if a field is required alone":     {lacking, always, answers, 2, "The server asks."},
		"the contract, by a field":               {required, always, named, 1, "Allow"},
		"the contract, by one field of two":      {booleanForm("sure"), always, named, 1, "Allow"},
		"both, without the name of the field":    {required, always, answers, 2, "The server asks."},
		"both, if a field was not named":         {booleanForm("confirmed", "force"), always, named, 2, "The server asks."},
		"both, if another field is required":     {other, always, named, 2, "The server asks."},
		"both, if the field is a text":           {textForm("confirmed"), always, named, 2, "Which confirmed?"},
		"the server, by a field, unapproved":     {required, never, named, 1, "The server asks."},
	} {
		for kind, h := range map[string]server.ToolHandlerFunc{
			"within": asksWithin(c.question), "by result": asksByResult(c.question),
		} {
			sdktest.EachEra(t, func(t *testing.T, e era) {
				if kind == "within" && e == modern {
					t.Skip("mcp-go refuses to ask")
				}
				k := newKit(t, []*contract.Tool{dropper(h, c.declare, c.opts...)})
				k.serveSessions()
				p := &person{answer: approves}
				r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "drop", nil)
				require.NoError(t, err, name)
				assert.Equal(t, "dropped", mcp.GetTextFromContent(r.Content[0]), "%s, %s", name, kind)
				assert.Equal(t, c.asked, p.asked.Load(), "%s, %s", name, kind)
				assert.Contains(t, p.last.Load().Message, c.last, "%s, %s", name, kind)
			})
		}
	}
}

func TestOwnConfirmation_ANamedFieldIsTrue(t *testing.T) {
	t.Parallel()
	var got any
	ask := asksByResult(booleanForm("confirmed", "sure"))
	k := newKit(t, []*contract.Tool{dropper(
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if answer := server.ElicitationResponse(r.Params.InputResponses, "own"); answer != nil {
				got = answer.Content
			}
			return ask(ctx, r)
		},
		func(b *wrap.Builder) { b.ConfirmAlways() },
		wrap.WithAnsweredConfirmation("sure"), wrap.WithAnsweredConfirmation("confirmed"))})
	_, err := callTool(t.Context(), k.clientOf(modern, "alice", &person{answer: approves}), "drop", nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"confirmed": true, "sure": true}, got)
}

func yes(json.RawMessage) bool { return true }

// If the guard's question is declined, or if no person can be asked, the call
// ends before the handler could ask.
func TestThreat161_NoConfirmationOfAServerIsAcceptedWithoutAPerson(t *testing.T) {
	t.Parallel()
	answers := wrap.WithAnsweredConfirmation()
	for kind, h := range map[string]server.ToolHandlerFunc{
		"within": asksWithin(ownQuestion), "by result": asksByResult(ownQuestion),
	} {
		sdktest.EachEra(t, func(t *testing.T, e era) {
			if kind == "within" && e == modern {
				t.Skip("mcp-go refuses to ask")
			}
			for _, tool := range []*contract.Tool{
				dropper(h, func(b *wrap.Builder) { b.ConfirmAlways() }, answers),
				dropper(h, func(*wrap.Builder) {}, answers),
				dropper(h, upstream, answers),
			} {
				k := newKit(t, []*contract.Tool{tool})
				k.serveSessions()
				p := &person{answer: declines}
				r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "drop", nil)
				require.NoError(t, err)
				assert.NotEqual(t, "dropped", mcp.GetTextFromContent(r.Content[0]), kind)
				assert.EqualValues(t, 1, p.asked.Load(), kind)
				r, err = callTool(t.Context(), k.clientOf(e, "alice", nil), "drop", map[string]any{"n": 2})
				if err == nil {
					assert.NotEqual(t, "dropped", mcp.GetTextFromContent(r.Content[0]), kind)
				}
			}
		})
	}
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
func TestThreat161_AnApprovalEndsWithItsCall(t *testing.T) {
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
