package mcpgo_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestWrap_StructuredContentWithoutASchemaPasses(t *testing.T) {
	t.Parallel()
	one := mcp.NewTextContent("one")
	for name, test := range map[string]struct {
		result     *mcp.CallToolResult
		structured string // empty: none
		texts      []string
	}{
		"alone, with its JSON as the text": {&mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}}, `{"a":1}`,
			[]string{`{"a":1}`}},
		"beside a text": {&mcp.CallToolResult{StructuredContent: map[string]any{"a": 1},
			Content: []mcp.Content{one}}, `{"a":1}`, []string{"one"}},
		"raw, with all digits": {&mcp.CallToolResult{RawStructuredContent: json.RawMessage(`{"id":9007199254740993}`),
			Content: []mcp.Content{one}}, `{"id":9007199254740993}`, []string{"one"}},
		"beside an image": {&mcp.CallToolResult{StructuredContent: map[string]any{"a": 1},
			Content: []mcp.Content{mcp.NewImageContent("AQ==", "image/png")}}, `{"a":1}`, []string{`{"a":1}`, ""}},
		"without hidden characters": {&mcp.CallToolResult{StructuredContent: map[string]any{"a\x1b": "b\x1b[2J\U000e0041"},
			Content: []mcp.Content{one}}, `{"a":"b"}`, []string{"one"}},
		"as a text if it is no object": {&mcp.CallToolResult{StructuredContent: []int{1}, Content: []mcp.Content{one}}, "",
			[]string{"one", "[1]"}},
		"not twice if a text has its value": {&mcp.CallToolResult{StructuredContent: []int{1, 2},
			Content: []mcp.Content{mcp.NewTextContent("[1, 2]\n")}}, "", []string{"[1, 2]\n"}},
		"as a text alone": {&mcp.CallToolResult{StructuredContent: []int{1}}, "", []string{"[1]"}},
		"not if it is null": {&mcp.CallToolResult{RawStructuredContent: json.RawMessage(`null`), Content: []mcp.Content{one}}, "",
			[]string{"one"}},
		"not if there is none": {&mcp.CallToolResult{}, "", []string{"ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{wrapTool(plain("sum"), returning(test.result, nil)).MustBuild()})
			sdktest.EachEra(t, func(t *testing.T, e era) {
				result := sdktest.Parse(t, k.call(e, "", "sum", `{}`)).Result
				assert.False(t, result.IsError)
				assert.Equal(t, test.structured, string(result.StructuredContent))
				var texts []string
				for _, c := range result.Content {
					texts = append(texts, c.Text)
				}
				assert.Equal(t, test.texts, texts)
			})
		})
	}
}

func TestWrap_StructuredContentWithoutASchemaIsHeldToTheContract(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		structured string
		bytes      int64
		code       string
	}{
		"a name twice":         {`{"a":1,"a":2}`, 100, contract.CodeOutputInvalid},
		"names that are equal": {`{"a":1,"a\u200b":2}`, 100, contract.CodeOutputInvalid},
		"no JSON":              {`{`, 100, contract.CodeOutputInvalid},
		"too much":             {`{"a":"0123456789"}`, 20, contract.CodeResultTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := &mcp.CallToolResult{RawStructuredContent: json.RawMessage(test.structured),
				Content: []mcp.Content{mcp.NewTextContent("one")}}
			k := newKit(t, []*contract.Tool{wrapTool(plain("sum"), returning(result, nil)).MaxResultBytes(test.bytes).MustBuild()})
			sdktest.AssertRefused(t, k.call(modern, "", "sum", `{}`), test.code)
		})
	}
}

// No schema declares that a text of such a tool is JSON, so it is delimited as
// any other text.
func TestThreat117_TextBesideStructuredContentWithoutASchemaIsDelimited(t *testing.T) {
	t.Parallel()
	structured := map[string]any{"a": injected}
	for name, result := range map[string]*mcp.CallToolResult{
		"the JSON of the structured content": {StructuredContent: structured,
			Content: []mcp.Content{mcp.NewTextContent(`{"a":"` + injected + `"}`)}},
		"another text": {StructuredContent: structured, Content: []mcp.Content{mcp.NewTextContent(injected)}},
		"no text":      {StructuredContent: structured},
		"an array":     {StructuredContent: []string{injected}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{wrapTool(plain("sum"), returning(result, nil)).Trust(trust.Untrusted).MustBuild()})
			sdktest.EachEra(t, func(t *testing.T, e era) {
				content := rawContent(t, k.call(e, "", "sum", `{}`))
				require.Len(t, content, 1)
				assert.Regexp(t, `(?s)^The text between the \S+ tags [^\n]*\n<(\S+)>\n.*`+injected+`.*\n</\S+>$`, content[0]["text"])
			})
		})
	}
}

func TestWrap_StructuredContentWithoutASchemaIsReplayed(t *testing.T) {
	t.Parallel()
	result := &mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}, Content: []mcp.Content{mcp.NewTextContent("one")}}
	tool := wrapTool(plain("sum"), returning(result, nil)).Effect(risk.LowRiskWrite).Permissions("notes:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	first, second := k.call(modern, "alice", "sum", `{}`), k.call(modern, "alice", "sum", `{}`)
	assert.Equal(t, contract.StatusReplayed, sdktest.Outcome(t, second).Status)
	assert.JSONEq(t, `{"a":1}`, string(sdktest.Parse(t, first).Result.StructuredContent))
	assert.JSONEq(t, `{"a":1}`, string(sdktest.Parse(t, second).Result.StructuredContent))
}
