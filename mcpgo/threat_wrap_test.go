package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A handler that binds with encoding/json takes both of two sibling names for
// one field, and the second one counts.
func TestThreat122_SiblingNamesThatFoldToOneAreRefused(t *testing.T) {
	t.Parallel()
	ran := 0
	tool := mcp.NewToolWithRawSchema("pay", "Pays.", json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},
		"free":{"type":"object"},"list":{"type":"array"},"map":{"type":"object","additionalProperties":{"type":"integer"}}}}`))
	k := newKit(t, []*contract.Tool{wrapTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran++
		return mcp.NewToolResultText("paid"), nil
	}).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for arguments, pointer := range map[string]string{
			"{\"free\":{\"key\":1,\"\u212aey\":2}}":           "/free/\u212aey",
			"{\"free\":{\"\u212aey\":1,\"key\":2}}":           "/free/\u212aey",
			"{\"free\":{\"a\":{\"u\u017fer\":1,\"user\":2}}}": "/free/a/u\u017fer",
			"{\"list\":[0,{\"user\":1,\"u\u017fer\":2}]}":     "/list/1/u\u017fer",
			"{\"map\":{\"key\":1,\"\u212aey\":2}}":            "/map/\u212aey",
			"{\"key\":1,\"\u212aey\":2}":                      "/\u212aey",
			`{"free":{"amount":1,"AMOUNT":1000000}}`:          "/free/amount",
		} {
			raw := k.call(e, "", "pay", arguments)
			sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
			violations := sdktest.Outcome(t, raw).Violations
			require.Len(t, violations, 1, arguments)
			assert.Equal(t, pointer, violations[0].Pointer)
			assert.Equal(t, "schema.spelling", violations[0].Rule)
		}
		assert.Zero(t, ran)
	})
	raw := k.call(legacy, "", "pay", "{\"free\":{\"\u212aey\":1},\"list\":[{\"key\":1},{\"Key\":1}],\"map\":{\"a\":1,\"b\":2}}")
	assert.False(t, sdktest.Parse(t, raw).Result.IsError, raw)
	for _, event := range k.events(audit.Terminal) {
		assert.Contains(t, []audit.Decision{audit.Allow, audit.Deny}, event.Decision)
	}
}

// mcp-go hands every number over as a float64, so GetInt gave …992 for …993.
func TestThreat129_WrappedHandlerReadsTheNumberThatWasShown(t *testing.T) {
	t.Parallel()
	var got []int
	tool := plain("pay", mcp.WithNumber("id"), mcp.WithArray("ids"), mcp.WithObject("deep"))
	k := newKit(t, []*contract.Tool{wrapTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got = append(got, r.GetInt("id", 0))
		return mcp.NewToolResultText("paid"), nil
	}).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for arguments, pointer := range map[string]string{
			`{"id":9007199254740993}`:             "/id",
			`{"id":-9007199254740993}`:            "/id",
			`{"id":9223372036854775807}`:          "/id",
			`{"id":9223372036854775808}`:          "/id",
			`{"id":18446744073709551615}`:         "/id",
			`{"ids":[1,9007199254740993]}`:        "/ids/1",
			`{"deep":{"a/b":[9007199254740993]}}`: "/deep/a~1b/0",
			`{"not declared":9007199254740993}`:   "/not declared",
		} {
			raw := k.call(e, "", "pay", arguments)
			sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
			violations := sdktest.Outcome(t, raw).Violations
			require.Len(t, violations, 1, arguments)
			assert.Equal(t, pointer, violations[0].Pointer)
			assert.Equal(t, "schema.exact", violations[0].Rule)
		}
		assert.Empty(t, got)
		for _, arguments := range []string{`{"id":9007199254740992}`, `{"id":-9007199254740992}`, `{"id":9007199254740994}`,
			`{"id":1152921504606846976}`} {
			assert.False(t, sdktest.Parse(t, k.call(e, "", "pay", arguments)).Result.IsError, arguments)
		}
		assert.Equal(t, []int{9007199254740992, -9007199254740992, 9007199254740994, 1152921504606846976}, got)
		got = nil
	})
}

// GetInt returned its default for an integer above the largest int64.
func TestThreat129_ExactIntegersAreReadOrRefused(t *testing.T) {
	t.Parallel()
	var got []int
	tool := mcpgo.Wrap(plain("pay", mcp.WithNumber("id")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		got = append(got, r.GetInt("id", 7))
		return mcp.NewToolResultText("paid"), nil
	}, wrap.WithExactIntegers()).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for _, id := range []string{"9223372036854775808", "18446744073709551615"} {
		raw := k.call(modern, "", "pay", `{"id":`+id+`}`)
		sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
		assert.Equal(t, "schema.exact", sdktest.Outcome(t, raw).Violations[0].Rule)
	}
	assert.Empty(t, got)
	for _, id := range []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"} {
		assert.False(t, sdktest.Parse(t, k.call(modern, "", "pay", `{"id":`+id+`}`)).Result.IsError, id)
	}
	assert.Equal(t, []int{9007199254740993, 9223372036854775807, -9223372036854775808}, got)
}

// A handler can take an absent member for more than its default: vault deletes
// a whole secret without the key, whose default is "".
func TestThreat145_AHandlerGetsNoDefaultThatItsCallerDidNotSend(t *testing.T) {
	t.Parallel()
	remove := plain("delete_secret", mcp.WithString("path", mcp.Required()), mcp.WithString("key", mcp.DefaultString("")))
	handler := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if _, err := r.RequireString("key"); err != nil {
			return mcp.NewToolResultError("key is missing"), nil //nolint:nilerr // as such handlers report errors
		}
		return mcp.NewToolResultText("deleted the secret"), nil
	}
	k := newKit(t, []*contract.Tool{wrapTool(remove, handler).OtherErrors(contract.ClassFatal).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		assert.Equal(t, "[FATAL] tool_fatal: key is missing",
			sdktest.Parse(t, k.call(e, "alice", "delete_secret", `{"path":"a"}`)).Result.Content[0].Text)
		assert.Equal(t, "deleted the secret",
			sdktest.Parse(t, k.call(e, "alice", "delete_secret", `{"path":"a","key":""}`)).Result.Content[0].Text)
	})
}

// A default of the schema is not what the handler gets without it, so the two
// calls are not the same one.
func TestThreat145_WithAndWithoutADefaultThatIsNotFilledInAreTwoCalls(t *testing.T) {
	t.Parallel()
	remove := plain("delete_secret", mcp.WithString("path", mcp.Required()), mcp.WithString("key", mcp.DefaultString("")))
	var runs atomic.Int64
	handler := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(fmt.Sprint("run ", runs.Add(1))), nil
	}
	k := newKit(t, []*contract.Tool{wrapTool(remove, handler).Effect(risk.LowRiskWrite).Permissions("notes:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()})
	for i, arguments := range []string{`{"path":"a"}`, `{"path":"a","key":""}`, `{"path":"a"}`} {
		answer := sdktest.Parse(t, k.call(modern, "alice", "delete_secret", arguments))
		assert.Equal(t, []string{"run 1", "run 2", "run 1"}[i], answer.Result.Content[0].Text)
	}
}

// The handler of a wrapped tool has no fields whose tags could hide a value.
func TestThreat147_SecretsOfAWrappedToolAreHidden(t *testing.T) {
	t.Parallel()
	tool := mcp.NewToolWithRawSchema("set_secret", "Sets it.", json.RawMessage(`{"type":"object","properties":{
		"value":{"type":"string"},"owner":{"type":"string"},
		"more":{"type":"array","items":{"type":"object","properties":{"token":{"type":"string"}}}}}}`))
	handler := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("the store refused %s of %s", r.GetString("value", ""), r.GetString("owner", ""))
	}
	hidden := []wrap.Option{wrap.WithSecret("/value", "/more/*/token"), wrap.WithSensitive("/owner")}
	built := wrapTool(tool, handler, hidden...).Effect(risk.HighRiskWrite).Permissions("notes:write").MustBuild()
	k := newKit(t, []*contract.Tool{built})
	k.serveSessions()
	p := &person{answer: approves}
	c := k.clientOf(legacy, "alice", p)
	_, err := callTool(t.Context(), c, "set_secret", map[string]any{
		"value": "hunter2-hunter2", "owner": "eve.example", "more": []any{map[string]any{"token": "hunter3-hunter3"}},
	})
	require.NoError(t, err)
	question := p.last.Load().Message
	assert.NotContains(t, question, "hunter")
	assert.Contains(t, question, "(secret, 15 characters)")
	assert.Contains(t, question, "eve", "the person decides about a sensitive value")
	listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	schema, err := json.Marshal(listed.Tools[0])
	require.NoError(t, err)
	assert.Contains(t, string(schema), `"x-secret":true`)
	assert.Contains(t, string(schema), `"x-sensitive":true`)
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	written, err := json.Marshal(events)
	require.NoError(t, err)
	assert.NotContains(t, string(written), "hunter")
	assert.NotContains(t, string(written), "eve.example")
	assert.Contains(t, string(written), "the store refused")
}

func TestWrap_ReportsAPointerThatHidesNothing(t *testing.T) {
	t.Parallel()
	tool := mcp.NewToolWithRawSchema("set_secret", "Sets it.", json.RawMessage(`{"type":"object","$defs":{"t":{"type":"object",
		"properties":{"token":{"type":"string"}}}},"properties":{"value":{"type":"string"},"t":{"$ref":"#/$defs/t"}}}`))
	tool.RawOutputSchema = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`)
	for pointer, found := range map[string]bool{
		"/value": true, "/t/token": true, "/vale": false, "value": false, "/": false, "": false, "/t/*": false, "/value/x": false,
		"/id": true,
	} {
		_, err := wrapTool(tool, echo, wrap.WithSensitive(pointer)).Build()
		if found {
			assert.NoError(t, err, pointer)
		} else {
			assert.Equal(t, []string{"protection.pointer set_secret"}, sdktest.Rules(err), pointer)
		}
	}
	_, err := wrapTool(tool, echo, wrap.WithSecret("/id")).Build()
	assert.Equal(t, []string{"protection.pointer set_secret"}, sdktest.Rules(err), "a result is no secret of its caller")
}
