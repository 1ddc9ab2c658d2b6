package mcpgo_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestHandler_IntegersKeepEveryDigit(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "calc.add", `{"a":9007199254740993,"b":2}`)
		assert.Equal(t, `{"sum":9007199254740995}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		assert.Equal(t, `{"sum":9007199254740995}`, sdktest.Parse(t, raw).Result.Content[0].Text)
	})
}

func TestHandler_ErrorHasNoStructuredContent(t *testing.T) {
	t.Parallel()
	failed := contract.Retryable("full", "The notebook is full.")
	n := &tools{}
	note := n.Note(func(context.Context, string) error { return failed.Errorf("page 3 is full") }).Failures(failed).MustBuild()
	k := newKit(t, []*contract.Tool{note})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		c := k.client(e, "alice")
		result, err := callTool(t.Context(), c, "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.True(t, result.IsError)
		assert.Nil(t, result.StructuredContent)
		assert.Equal(t, "full: page 3 is full", mcp.GetTextFromContent(result.Content[0]))
		assert.NotNil(t, result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	})
}

// mcp-go adds members to the Meta of a result, so two calls must not share one.
func TestHandler_EveryResultHasItsOwnMeta(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	ids := map[string]bool{}
	for range 3 {
		o := sdktest.Outcome(t, k.call(modern, "", "calc.add", `{"a":1}`))
		assert.NotEmpty(t, o.CallID)
		ids[o.CallID] = true
	}
	assert.Len(t, ids, 3)
	assert.NotContains(t, k.call(legacy, "", "calc.add", `{"a":1}`), mcp.MetaKeyServerInfo)
}

func TestHandler_ArgumentsOfAGoCaller(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	h := k.server.GetTool("calc.add").Handler
	for name, test := range map[string]struct {
		params mcp.CallToolParams
		code   string
	}{
		"decoded arguments": {mcp.CallToolParams{Arguments: map[string]any{"a": 1}}, ""},
		"raw arguments take precedence": {mcp.CallToolParams{Arguments: map[string]any{"a": "no"}, RawArguments: []byte(`{"a":1}`)},
			""},
		"no arguments":                  {mcp.CallToolParams{}, "invalid_input"},
		"arguments that cannot be JSON": {mcp.CallToolParams{Arguments: math.NaN()}, "invalid_input"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := h(t.Context(), mcp.CallToolRequest{Params: test.params})
			require.NoError(t, err)
			o, ok := result.Meta.AdditionalFields[contract.MetaKeyOutcome].(contract.Outcome)
			require.True(t, ok)
			assert.Equal(t, test.code, o.Code)
		})
	}
	assert.EqualValues(t, 2, n.Adds.Load())

	k = newKit(t, []*contract.Tool{n.Optional().MustBuild()})
	result, err := k.server.GetTool("notes.read").Handler(t.Context(),
		mcp.CallToolRequest{Params: mcp.CallToolParams{Arguments: math.NaN()}})
	require.NoError(t, err)
	assert.True(t, result.IsError, "arguments that cannot be JSON do not count as absent")
	assert.Zero(t, n.Notes.Load())
}

func TestHandler_UnsolicitedInputResponsesAreIgnored(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		body := sdktest.Message(t, e, 1, "tools/call", `{"name":"notes.write","arguments":{"text":"x"},
			"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},"requestState":"AAAA"}`)
		sdktest.AssertRefused(t, k.post(e, "bob", "tools/call", "notes.write", body), "permission_denied")
	})
	assert.Zero(t, n.Notes.Load())
}

// The server author's middleware runs outside the guard. The guard validates
// the arguments that the client sent.
func TestMiddleware_RunsOutsideTheGuard(t *testing.T) {
	t.Parallel()
	var results []bool
	n := &tools{}
	k := newKit(t, n.All(),
		mcpgo.WithServerOptions(server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				r.Params.Arguments = map[string]any{"a": 100}
				result, err := next(ctx, r)
				results = append(results, result.IsError)
				return result, err
			}
		})))
	raw := k.call(legacy, "", "calc.add", `{"a":1}`)
	assert.JSONEq(t, `{"sum":1}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
	k.call(legacy, "", "notes.write", `{"text":"x"}`)
	assert.Equal(t, []bool{false, true}, results)
}

// Middleware that changes the name of a call does not make it a call of another
// tool.
func TestMiddleware_CannotRenameACall(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All(),
		mcpgo.WithServerOptions(server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				r.Params.Name = "notes.write"
				return next(ctx, r)
			}
		})))
	a := sdktest.Parse(t, k.call(legacy, "alice", "calc.add", `{"a":1,"text":"x"}`))
	require.NotNil(t, a.Error)
	assert.Equal(t, mcp.INTERNAL_ERROR, a.Error.Code)
	assert.Equal(t, "tool 'notes.write' not found: tool not found", a.Error.Message)
	assert.Zero(t, n.Notes.Load())
	assert.Zero(t, n.Adds.Load())
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, codeUnknownTool, events[0].Code)
	assert.Equal(t, "alice", events[0].Principal)
}

// An undeclared error stays in the audit log.
func TestHandler_UndeclaredErrorStaysInTheAuditLog(t *testing.T) {
	t.Parallel()
	n := &tools{}
	note := n.Note(func(context.Context, string) error { return errors.New("pq: password host=10.0.0.3") }).MustBuild()
	k := newKit(t, []*contract.Tool{note})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "alice", "notes.write", `{"text":"x"}`)
		sdktest.AssertRefused(t, raw, "internal_error")
		assert.NotContains(t, raw, "10.0.0.3")
	})
	for _, event := range k.events(audit.Terminal) {
		assert.Contains(t, event.Error, "10.0.0.3")
	}
}
