package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func returning(result *mcp.CallToolResult, err error) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, err }
}

// sumTool returns a tool with an output schema.
func sumTool() *mcp.Tool {
	tool := plain("sum")
	tool.OutputSchema = json.RawMessage(`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`)
	return tool
}

func TestWrap_TakesSchemasAndTitlesInEveryFormOfTheSDK(t *testing.T) {
	t.Parallel()
	const raw = `{"type":"object","properties":{"a":{"type":"integer","default":1}},"x-own":[1]}`
	var decoded map[string]any
	sdktest.Unmarshal(t, raw, &decoded)
	for name, schema := range map[string]any{"raw": json.RawMessage(raw), "decoded": decoded} {
		tool, err := wrapTool(&mcp.Tool{Name: "mail.send", Description: "Sends.", InputSchema: schema, OutputSchema: schema,
			Annotations: &mcp.ToolAnnotations{Title: "Send"}}, answering("x")).Build()
		require.NoError(t, err, name)
		assert.Equal(t, "Send", tool.Document().Title)
		assert.JSONEq(t, raw, string(tool.Document().InputSchema))
		assert.Contains(t, string(tool.Document().OutputSchema), `"x-own":[1]`)
	}
	tool, err := wrapTool(&mcp.Tool{Name: "send", Description: "Sends."}, answering("x")).Build()
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object"}`, string(tool.Document().InputSchema))
	assert.Empty(t, tool.Document().OutputSchema)
}

func TestWrap_ReportsDefinitionsThatTheSDKCannotWrite(t *testing.T) {
	t.Parallel()
	broken := plain("send")
	broken.InputSchema = json.RawMessage(`{"type":`)
	impossible := plain("send")
	impossible.OutputSchema = make(chan int)
	for rule, tool := range map[string]*mcp.Tool{"serve.nil": nil, "serve.definition send": broken} {
		_, err := wrapTool(tool, answering("x")).Build()
		assert.Contains(t, sdktest.Rules(err), rule)
	}
	_, err := wrapTool(impossible, answering("x")).Build()
	assert.Contains(t, sdktest.Rules(err), "serve.definition send")
	_, err = wrapTool(plain("send"), answering("x"), gosdk.WithErrorMapper(nil)).Build()
	assert.Equal(t, []string{"serve.option send"}, sdktest.Rules(err))
	_, err = gosdk.WrapFor[greetIn, greetOut](nil, greet).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	assert.Contains(t, sdktest.Rules(err), "serve.nil")
	_, err = gosdk.WrapFor[greetIn, greetOut](plain("send"), nil).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	assert.Equal(t, []string{"handler.nil send"}, sdktest.Rules(err))
	type cyclic struct{ Next chan int }
	_, err = gosdk.WrapFor(&mcp.Tool{Name: "send", Description: "Sends."}, func(context.Context, *mcp.CallToolRequest,
		cyclic) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	}).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	assert.Equal(t, []string{"serve.definition send"}, sdktest.Rules(err))
}

func TestCleanTexts_RemovesWhatBuildRefuses(t *testing.T) {
	t.Parallel()
	dirty := &mcp.Tool{Name: "send", Description: "Se\u202ends.", Annotations: &mcp.ToolAnnotations{Title: "S\u200bend"},
		InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","description":"a\u202eb"}}}`)}
	clean, changed := gosdk.CleanTexts(dirty)
	assert.Equal(t, 3, changed)
	assert.Equal(t, "Sends.", clean.Description)
	assert.Equal(t, "Se\u202ends.", dirty.Description, "the tool that was passed does not change")
	assert.Equal(t, "S\u200bend", dirty.Annotations.Title)
	_, err := wrapTool(clean, answering("x")).Build()
	require.NoError(t, err)
	same, changed := gosdk.CleanTexts(plain("send"))
	assert.Zero(t, changed)
	assert.Equal(t, plain("send"), same)
}

func TestAnnotate_PublishesClauses(t *testing.T) {
	t.Parallel()
	tool := plain("cancel")
	tool.Meta = mcp.Meta{"own": 1}
	shared := tool.Meta
	require.NoError(t, gosdk.Annotate(tool, contract.Base{Version: "1.0.0", Effect: risk.HighRiskWrite}))
	assert.False(t, tool.Annotations.ReadOnlyHint)
	assert.True(t, *tool.Annotations.DestructiveHint)
	assert.Contains(t, tool.Meta, contract.MetaKeyContract)
	assert.Equal(t, 1, tool.Meta["own"])
	assert.NotContains(t, shared, contract.MetaKeyContract)
	for rule, tool := range map[string]*mcp.Tool{"annotate.nil": nil, "annotate.contradiction cancel": hinted("cancel",
		mcp.ToolAnnotations{ReadOnlyHint: true})} {
		assert.Equal(t, []string{rule}, sdktest.Rules(gosdk.Annotate(tool, contract.Base{
			Version: "1.0.0",
			Effect:  risk.HighRiskWrite,
		})))
	}
}

// An integer that the handler would round is refused, and so is a name in
// different case.
func TestThreat12_WrappedToolsReadWhatWasChecked(t *testing.T) {
	t.Parallel()
	type floats struct {
		N float64 `json:"n"`
	}
	type ints struct {
		N int64 `json:"n"`
	}
	built := func(b *wrap.Builder) *contract.Tool {
		return b.Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	}
	k := newKit(t, []*contract.Tool{
		wrapTool(plain("raw", `"n":{"type":"integer"}`), answering("x")).MustBuild(),
		built(gosdk.WrapFor(&mcp.Tool{Name: "floats", Description: "x."}, func(context.Context, *mcp.CallToolRequest,
			floats) (*mcp.CallToolResult, any, error) {
			return text("x"), nil, nil
		})),
		built(gosdk.WrapFor(&mcp.Tool{Name: "ints", Description: "x."}, func(_ context.Context, _ *mcp.CallToolRequest,
			in ints) (*mcp.CallToolResult, ints, error) {
			return nil, in, nil
		})),
		built(gosdk.WrapFor(plain("any"), func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
			return text("x"), nil, nil
		})),
	})
	for _, name := range []string{"raw", "floats", "any"} {
		sdktest.AssertRefused(t, k.call(modern, "", name, `{"n":9007199254740993}`), contract.CodeInvalidInput)
		assert.False(t, sdktest.Parse(t, k.call(modern, "", name, `{"n":9007199254740992}`)).Result.IsError, name)
	}
	assert.Equal(t, `{"n":9007199254740993}`,
		string(sdktest.Parse(t, k.call(modern, "", "ints", `{"n":9007199254740993}`)).Result.StructuredContent))
	for _, name := range []string{"raw", "floats", "ints"} {
		sdktest.AssertRefused(t, k.call(modern, "", name, `{"N":1}`), contract.CodeInvalidInput)
	}
}

func TestWrap_RefusesContentThatTheSDKCannotWrite(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]mcp.Content{
		"a nil item":                  nil,
		"a nil pointer":               (*mcp.TextContent)(nil),
		"an unsupported kind of item": &mcp.ToolUseContent{}, //nolint:staticcheck // a kind that tools cannot return
		"an empty embedded resource":  &mcp.EmbeddedResource{},
	} {
		result := &mcp.CallToolResult{StructuredContent: map[string]any{"sum": 1}, Content: []mcp.Content{item}}
		k := newKit(t, []*contract.Tool{wrapTool(sumTool(), returning(result, nil)).OtherErrors(contract.ClassRetryable).MustBuild()})
		raw := k.call(modern, "", "sum", `{}`)
		assert.Equal(t, contract.CodeOutputInvalid, sdktest.Outcome(t, raw).Code, name)
		sdktest.AssertRefused(t, raw, contract.CodeOutputInvalid)
	}
}

// Only this SDK has SetError.
func TestWrap_SetErrorFollowsTheContract(t *testing.T) {
	t.Parallel()
	full := contract.Retryable("full", "The box is full.")
	set := &mcp.CallToolResult{}
	set.SetError(full.Errorf("9 of 9"))
	for _, b := range []*wrap.Builder{
		wrapTool(sumTool(), returning(set, nil)).Failures(full),
		wrapTool(sumTool(), returning(set, nil)).Failures(full).OtherErrors(contract.ClassRetryable),
	} {
		k := newKit(t, []*contract.Tool{b.MustBuild()})
		sdktest.EachEra(t, func(t *testing.T, e era) {
			raw := k.call(e, "", "sum", `{}`)
			sdktest.AssertRefused(t, raw, "full")
			assert.Equal(t, "full: 9 of 9", firstText(t, raw))
		})
	}
}

// Only in this SDK can a handler choose JSON-RPC errors. Callers get the code,
// the message and the data, without hidden characters. A JSON-RPC error wrapped
// in another error may come from a server that the handler called.
func TestWrap_PassesOnErrorsOfTheProtocol(t *testing.T) {
	t.Parallel()
	own := &jsonrpc.Error{Code: -32000, Message: "no row\x1b[2J", Data: json.RawMessage(`{"at":"1:4\u001b[2J","n":9007199254740993}`)}
	for name, b := range map[string]*wrap.Builder{
		"a plain one":      wrapTool(sumTool(), returning(nil, own)),
		"with OtherErrors": wrapTool(sumTool(), returning(nil, own)).OtherErrors(contract.ClassRetryable),
	} {
		k := newKit(t, []*contract.Tool{b.MustBuild()})
		sdktest.EachEra(t, func(t *testing.T, e era) {
			a := sdktest.Parse(t, k.call(e, "", "sum", `{}`))
			require.NotNil(t, a.Error, name)
			assert.Equal(t, -32000, a.Error.Code)
			assert.Equal(t, "no row", a.Error.Message)
			assert.Equal(t, `{"at":"1:4","n":9007199254740993}`, string(a.Error.Data))
		})
		for _, event := range k.events(audit.Terminal) {
			assert.Equal(t, "protocol_error", event.Code)
			assert.Contains(t, event.Error, "no row")
		}
	}
	for name, err := range map[string]error{
		"wrapped":    fmt.Errorf("upstream: %w", own),
		"joined":     errors.Join(own, errors.New("and more")),
		"of another": fmt.Errorf("upstream: %w", &adapter.RPCError{Code: -32000, Message: "no row"}),
	} {
		k := newKit(t, []*contract.Tool{wrapTool(sumTool(), returning(nil, err)).MustBuild()})
		raw := k.call(modern, "", "sum", `{}`)
		sdktest.AssertRefused(t, raw, contract.CodeInternalError)
		assert.NotContains(t, raw, "no row", name)
	}
}

func TestErrorMapper_MapsResultsToFailures(t *testing.T) {
	t.Parallel()
	missing := contract.Retryable("missing", "There is none.")
	mapper := func(req *mcp.CallToolRequest, r *mcp.CallToolResult) error {
		assert.Equal(t, "find", req.Params.Name)
		if text, ok := r.Content[0].(*mcp.TextContent); ok && text.Text == "404" {
			return missing.Errorf("no order %s", req.Params.Arguments)
		}
		return nil
	}
	k := newKit(t, []*contract.Tool{wrapTool(plain("find"), func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		if string(r.Params.Arguments) == `{"n":1}` {
			return failed("404"), nil
		}
		return failed("500"), nil
	}, gosdk.WithErrorMapper(mapper)).Failures(missing).MustBuild()})
	raw := k.call(modern, "", "find", `{"n":1}`)
	sdktest.AssertRefused(t, raw, "missing")
	assert.Equal(t, `missing: no order {"n":1}`, firstText(t, raw))
	sdktest.AssertRefused(t, k.call(modern, "", "find", `{"n":2}`), contract.CodeToolRetry)
}

// A typed handler has the same results as with mcp.AddTool.
func TestWrapFor_WritesWhatTheSDKWrites(t *testing.T) {
	t.Parallel()
	type out struct {
		N int `json:"n"`
	}
	handler := func(_ context.Context, _ *mcp.CallToolRequest, in greetIn) (*mcp.CallToolResult, *out, error) {
		switch in.Name {
		case "nil":
			return nil, nil, nil
		case "both":
			return text("words"), &out{2}, nil
		case "fails":
			return nil, nil, errors.New("no row")
		}
		return nil, &out{1}, nil
	}
	build := func() *wrap.Builder {
		return gosdk.WrapFor(&mcp.Tool{Name: "count", Description: "Counts."},
			handler).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	}
	k := newKit(t, []*contract.Tool{build().OtherErrors(contract.ClassRetryable).MustBuild()})
	for name, want := range map[string][2]string{"one": {`{"n":1}`, `{"n":1}`}, "nil": {`{"n":0}`, `{"n":0}`}, "both": {`{"n":2}`,
		"words"}} {
		raw := k.call(modern, "", "count", `{"name":"`+name+`"}`)
		assert.Equal(t, want[0], string(sdktest.Parse(t, raw).Result.StructuredContent))
		assert.Equal(t, want[1], firstText(t, raw))
	}
	sdktest.AssertRefused(t, k.call(modern, "", "count", `{"name":"fails"}`), "tool_retry")
	schema := build().MustBuild().Document()
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "count", Description: "Counts."}, handler)
	var own struct{ InputSchema, OutputSchema json.RawMessage }
	sdktest.Unmarshal(t, string(sdktest.Parse(t, handle(t, s, list)).Result.Tools[0]), &own)
	assert.JSONEq(t, string(own.InputSchema), string(schema.InputSchema))
	assert.JSONEq(t, string(own.OutputSchema), string(schema.OutputSchema))
}
