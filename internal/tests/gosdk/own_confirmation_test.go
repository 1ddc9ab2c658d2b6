package gosdk_test

import (
	"context"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// ownQuestion returns a form without fields, as servers with a confirmation of
// their own send it, or a form with a field.
func ownQuestion(fields ...string) *mcp.ElicitParams {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, name := range fields {
		schema.Properties[name] = &jsonschema.Schema{Type: "boolean"}
	}
	return &mcp.ElicitParams{Message: "The server asks.", RequestedSchema: schema}
}

func dropped(answer *mcp.ElicitResult, err error) (*mcp.CallToolResult, error) {
	text := "dropped"
	if err != nil || answer.Action != "accept" {
		text = "denied by the server"
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

// dropper returns a server whose tool asks by itself: in sessions older than
// 2026-07-28 within the call, and otherwise by its result.
func dropper(e era, q *mcp.ElicitParams) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	s.AddTool(&mcp.Tool{Name: "drop", Description: "Drops it.", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if e == legacy {
				return dropped(r.Session.Elicit(ctx, q))
			}
			if answer, ok := r.Params.InputResponses["own"].(*mcp.ElicitResult); ok {
				return dropped(answer, nil)
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"own": q}, RequestState: "state"}, nil
		})
	return s
}

func base(c contract.Confirmation) contract.Base {
	b := versioned()
	b.Effect, b.Confirmation = risk.LowRiskWrite, c
	return b
}

// The tool of the first server is adopted by WrapAll.
func TestOwnConfirmation_OneOfTheTwoAsks(t *testing.T) {
	t.Parallel()
	answers := []wrap.Option{wrap.WithRounds(2), wrap.WithAnsweredConfirmation()}
	named := []wrap.Option{wrap.WithRounds(2), wrap.WithAnsweredConfirmation("confirmed")}
	other := ownQuestion("confirmed", "force")
	for name, c := range map[string]struct {
		question     *mcp.ElicitParams
		confirmation contract.Confirmation
		opts         []wrap.Option
		asked        int64
		last         string // a part of the last question
	}{
		"both without a rule":                    {ownQuestion(), contract.ConfirmationAlways, answers[:1], 2, "The server asks."},
		"the contract":                           {ownQuestion(), contract.ConfirmationAlways, answers, 1, "Allow"},
		"the server, by the contract":            {ownQuestion(), contract.ConfirmationUpstream, answers[:1], 1, "The server asks."},
		"the server, of a call without approval": {ownQuestion(), contract.ConfirmationNever, answers, 1, "The server asks."},
		"both, if the form has a field":          {ownQuestion("confirm"), contract.ConfirmationAlways, answers, 2, "The server asks."},
		"the contract, by a field":               {ownQuestion("confirmed"), contract.ConfirmationAlways, named, 1, "Allow"},
		"both, for another field":                {other, contract.ConfirmationAlways, named, 2, "The server asks."},
	} {
		sdktest.EachEra(t, func(t *testing.T, e era) {
			s := dropper(e, c.question)
			k := newKitOf(t, s)
			_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: base(c.confirmation), Options: c.opts})
			require.NoError(t, err)
			p := &person{answer: approves}
			r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "drop", nil)
			require.NoError(t, err, name)
			assert.Equal(t, "dropped", r.Content[0].(*mcp.TextContent).Text, name)
			assert.Equal(t, c.asked, p.asked.Load(), name)
			assert.Contains(t, p.last.Load().Message, c.last, name)
		})
	}
}

func TestThreat161_NoConfirmationOfAServerIsAcceptedWithoutAPerson(t *testing.T) {
	t.Parallel()
	for _, confirmation := range []contract.Confirmation{contract.ConfirmationAlways, contract.ConfirmationUpstream,
		contract.ConfirmationNever} {
		sdktest.EachEra(t, func(t *testing.T, e era) {
			s := dropper(e, ownQuestion())
			k := newKitOf(t, s)
			_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: base(confirmation),
				Options: []wrap.Option{wrap.WithRounds(2), wrap.WithAnsweredConfirmation()}})
			require.NoError(t, err)
			p := &person{answer: declines}
			for _, c := range []*mcp.ClientSession{k.clientOf(e, "alice", p), k.clientOf(e, "alice", nil)} {
				r, err := callTool(t.Context(), c, "drop", nil)
				require.NoError(t, err)
				assert.NotEqual(t, "dropped", r.Content[0].(*mcp.TextContent).Text)
				assert.EqualValues(t, 1, p.asked.Load())
			}
		})
	}
}

// A handler leaves its context behind, and another one asks with it.
func TestThreat161_AnApprovalEndsWithItsCall(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	var kept context.Context
	for _, name := range []string{"keep", "later"} {
		s.AddTool(&mcp.Tool{Name: name, Description: "Drops it.", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if name == "later" {
					return dropped(r.Session.Elicit(context.WithoutCancel(kept), ownQuestion()))
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
	assert.Equal(t, "denied by the server", r.Content[0].(*mcp.TextContent).Text) // the SDK asks in no call that has ended
}
