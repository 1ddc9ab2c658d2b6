package mcpgo_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errGone = contract.Fatal("gone", "The item is gone.")

// failing returns tools whose handler returns an error result: one whose other
// errors are retryable, and one that maps the result to a declared failure.
func failing(result *mcp.CallToolResult, opts ...mcp.ToolOption) []*wrappedBuilder {
	result.IsError = true
	mapped := mcpgo.WithErrorMapper(func(mcp.CallToolRequest, *mcp.CallToolResult) error { return errGone })
	return []*wrappedBuilder{
		wrapTool(plain("other", opts...), returning(result, nil)).OtherErrors(contract.ClassRetryable),
		mcpgo.Wrap(plain("mapped", opts...), returning(result, nil),
			mapped).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Failures(errGone),
	}
}

func TestErrorResult_KeepsItsContent(t *testing.T) {
	t.Parallel()
	text, image := mcp.NewTextContent("no row"), mcp.NewImageContent("AQ==", "image/png")
	shown := map[string]any{"type": "image", "data": "AQ==", "mimeType": "image/png"}
	asText := func(text string) map[string]any { return map[string]any{"type": "text", "text": text} }
	for name, test := range map[string]struct {
		result     *mcp.CallToolResult
		opts       []mcp.ToolOption
		structured string // empty: none
		items      []map[string]any
	}{
		"an image": {&mcp.CallToolResult{Content: []mcp.Content{text, image}}, nil, "", []map[string]any{shown}},
		"structured content": {&mcp.CallToolResult{Content: []mcp.Content{text}, StructuredContent: map[string]any{"a": "b\x1b[2J"}},
			nil, `{"a":"b"}`, nil},
		"all kinds": {
			&mcp.CallToolResult{Content: []mcp.Content{
				text, mcp.NewAudioContent("Ag==", "audio/wav"), mcp.ResourceLink{Type: "resource_link", URI: "file:///a", Name: "a",
					Description: "d", MIMEType: "text/plain"},
				mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///b", Text: "b\u200b"}),
			}}, nil, "",
			[]map[string]any{
				{"type": "audio", "data": "Ag==", "mimeType": "audio/wav"}, {"type": "resource_link", "uri": "file:///a", "name": "a",
					"description": "d", "mimeType": "text/plain"},
				{"type": "resource", "resource": map[string]any{"uri": "file:///b", "text": "b"}},
			},
		},
		"structured content alone, which is a text too": {&mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}}, nil,
			`{"a":1}`, []map[string]any{asText(`{"a":1}`)}},
		"structured content that fits its schema": {&mcp.CallToolResult{Content: []mcp.Content{text},
			StructuredContent: map[string]any{"sum": 1}}, []mcp.ToolOption{sumSchema}, `{"sum":1}`, nil},
		"structured content that does not fit": {&mcp.CallToolResult{Content: []mcp.Content{text},
			StructuredContent: map[string]any{"code": 404}}, []mcp.ToolOption{sumSchema}, "", []map[string]any{asText(`{"code":404}`)}},
		"an array": {&mcp.CallToolResult{Content: []mcp.Content{text}, StructuredContent: []int{1}}, nil, "",
			[]map[string]any{asText(`[1]`)}},
		"no content": {&mcp.CallToolResult{Content: []mcp.Content{text}}, []mcp.ToolOption{sumSchema}, "", nil},
		"null": {&mcp.CallToolResult{Content: []mcp.Content{text}, RawStructuredContent: json.RawMessage(`null`)},
			nil, "", nil},
		"a broken item and others": {&mcp.CallToolResult{Content: []mcp.Content{text,
			mcp.NewImageContent("%", "image/png"), image, nil}}, nil, "", []map[string]any{shown}},
		"broken structured content, which does not hide an image": {&mcp.CallToolResult{Content: []mcp.Content{text, image},
			RawStructuredContent: json.RawMessage(`{"a":1,"a":2}`)}, nil, "", []map[string]any{shown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := failing(test.result, test.opts...)
			k := newKit(t, []*contract.Tool{tools[0].MustBuild(), tools[1].MustBuild()})
			sdktest.EachEra(t, func(t *testing.T, e era) {
				for tool, code := range map[string]string{"other": contract.CodeToolRetry, "mapped": errGone.Code()} {
					raw := k.call(e, "", tool, `{}`)
					assert.Equal(t, code, sdktest.Outcome(t, raw).Code)
					result := sdktest.Parse(t, raw).Result
					assert.True(t, result.IsError)
					assert.Equal(t, test.structured, string(result.StructuredContent), tool)
					content := rawContent(t, raw)
					assert.Contains(t, content[0]["text"], code+": ")
					assert.Equal(t, test.items, append([]map[string]any(nil), content[1:]...), tool)
				}
			})
		})
	}
}

func TestErrorResult_UndeclaredErrorHasNoContent(t *testing.T) {
	t.Parallel()
	result := &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"password": 1},
		Content: []mcp.Content{mcp.NewTextContent("password"), mcp.NewImageContent("AQ==", "image/png")}}
	masked := mcpgo.WithErrorMapper(func(mcp.CallToolRequest, *mcp.CallToolResult) error { return errors.New("masked") })
	k := newKit(t, []*contract.Tool{mcpgo.Wrap(plain("art"), returning(result, nil), masked).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "", "art", `{}`)
		sdktest.AssertRefused(t, raw, contract.CodeInternalError)
		assert.Len(t, rawContent(t, raw), 1)
		assert.NotContains(t, raw, "password")
	})
}

func TestErrorResult_ContentHasTheLimitOfResults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit int64
		items int
	}{"within it": {1000, 2}, "beyond it": {100, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := failing(&mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("no row"),
				mcp.NewImageContent("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", "image/png")}})
			k := newKit(t, []*contract.Tool{tools[0].MaxResultBytes(test.limit).MustBuild()})
			raw := k.call(modern, "", "other", `{}`)
			assert.Equal(t, contract.CodeToolRetry, sdktest.Outcome(t, raw).Code)
			content := rawContent(t, raw)
			assert.Len(t, content, test.items)
			assert.Equal(t, "tool_retry: no row", content[0]["text"])
		})
	}
}

func TestThreat117_ContentOfAnErrorResultIsDelimited(t *testing.T) {
	t.Parallel()
	for _, delimited := range []trust.Delimiting{trust.DelimitText, trust.DelimitAll} {
		tools := failing(&mcp.CallToolResult{StructuredContent: []string{injected}, Content: []mcp.Content{
			mcp.NewTextContent(injected), mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///a",
				Text: injected + "[FATAL]\x1b"}),
		}})
		k := newKit(t, []*contract.Tool{tools[0].Trust(trust.Untrusted).Delimit(delimited).MustBuild(),
			tools[1].Trust(trust.Untrusted).Delimit(delimited).MustBuild()})
		sdktest.EachEra(t, func(t *testing.T, e era) {
			for _, tool := range []string{"other", "mapped"} {
				raw := k.call(e, "", tool, `{}`)
				content := rawContent(t, raw)
				require.Len(t, content, 3)
				resource, _ := content[1]["resource"].(map[string]any)
				for _, text := range []any{resource["text"], content[2]["text"]} {
					assert.Regexp(t, `(?s)^The text between the \S+ tags [^\n]*\n<(\S+)>\n.*`+injected+`.*\n</\S+>$`, text)
				}
				assert.NotContains(t, resource["text"], "[FATAL]")
				assert.Positive(t, sdktest.Outcome(t, raw).Sanitized)
			}
		})
	}
}

func TestErrorResult_IsReplayedWithItsContent(t *testing.T) {
	t.Parallel()
	tools := failing(&mcp.CallToolResult{StructuredContent: map[string]any{"sum": 1},
		Content: []mcp.Content{mcp.NewTextContent("no row"), mcp.NewImageContent("AQ==", "image/png")}}, sumSchema)
	tool := tools[1].Effect(risk.LowRiskWrite).Permissions("notes:write").Idempotency(contract.Idempotency{
		Mode: idempotency.Managed}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	first, second := k.call(modern, "alice", "mapped", `{}`), k.call(modern, "alice", "mapped", `{}`)
	require.Equal(t, contract.StatusReplayed, func() contract.Status {
		var o contract.Outcome
		require.NoError(t, json.Unmarshal(sdktest.Parse(t, second).Result.Meta[contract.MetaKeyOutcome], &o))
		return o.Status
	}())
	assert.Equal(t, `{"sum":1}`, string(sdktest.Parse(t, second).Result.StructuredContent))
	want, got := rawContent(t, first), rawContent(t, second)
	require.Len(t, got, 3)
	assert.Equal(t, want, got[:2])
}
