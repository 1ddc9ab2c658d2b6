package mcpgo_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// shower returns a tool that returns the given reply.
func shower[Out any](reply contract.Reply[Out]) *contract.Tool {
	return contract.New("art.show", func(context.Context, empty) (contract.Reply[Out], error) { return reply, nil }).
		Description("Shows art.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

// rawContent returns the content of a result as it is on the wire.
func rawContent(t *testing.T, raw string) []map[string]any {
	t.Helper()
	var a struct {
		Result struct{ Content []map[string]any }
	}
	sdktest.Unmarshal(t, raw, &a)
	return a.Result.Content
}

func TestContent_ReachesTheClient(t *testing.T) {
	t.Parallel()
	half, size := 0.5, int64(0)
	meta := map[string]any{"example.com/k": "v"}
	notes := contract.Annotations{Audience: []string{"user"}, Priority: &half, LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0,
		time.UTC)}
	k := newKit(t, []*contract.Tool{shower(contract.Reply[addOut]{
		Out: addOut{Sum: 3},
		Content: []contract.Content{
			contract.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: notes, Meta: meta},
			contract.AudioContent{Data: []byte{2}, MIMEType: "audio/wav"},
			contract.LinkContent{URI: "file:///a", Name: "a", Title: "A", Description: "An a.", MIMEType: "text/plain", Size: &size},
			contract.ResourceContent{URI: "file:///b", Text: "b", MIMEType: "text/plain", Meta: meta,
				ResourceMeta: map[string]any{"ui": true}},
			contract.ResourceContent{URI: "file:///c", Blob: []byte{}},
		},
		Meta: map[string]any{"example.com/n": 9007199254740993, contract.MetaKeyOutcome: "forged", contract.MetaKeyContract: "forged"},
	})})
	want := []map[string]any{
		{"type": "text", "text": `{"sum":3}`},
		{"type": "image", "data": "AQ==", "mimeType": "image/png", "_meta": map[string]any{"example.com/k": "v"},
			"annotations": map[string]any{"audience": []any{"user"}, "priority": 0.5, "lastModified": "2026-01-02T03:04:05Z"}},
		{"type": "audio", "data": "Ag==", "mimeType": "audio/wav"},
		{"type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "An a.", "mimeType": "text/plain",
			"size": float64(0)},
		{"type": "resource", "_meta": map[string]any{"example.com/k": "v"}, "resource": map[string]any{"uri": "file:///b", "text": "b",
			"mimeType": "text/plain", "_meta": map[string]any{"ui": true}}},
		{"type": "resource", "resource": map[string]any{"uri": "file:///c", "blob": ""}},
	}
	check := func(t *testing.T, raw string) {
		t.Helper()
		assert.Equal(t, want, rawContent(t, raw))
		result := sdktest.Parse(t, raw).Result
		assert.Equal(t, `{"sum":3}`, string(result.StructuredContent))
		assert.Equal(t, "9007199254740993", string(result.Meta["example.com/n"]))
		assert.NotContains(t, result.Meta, contract.MetaKeyContract)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	}
	sdktest.EachEra(t, func(t *testing.T, e era) { check(t, k.call(e, "", "art.show", `{}`)) })
	check(t, handle(t, k.server, callOf("art.show", `{}`)))
}

func TestContent_HasNoEmptyTextNextToOtherItems(t *testing.T) {
	t.Parallel()
	image := contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"}
	for name, test := range map[string]struct {
		tool *contract.Tool
		want []string
	}{
		"only an image": {shower(contract.Reply[struct{}]{Content: []contract.Content{image}}), []string{"image"}},
		"an image before a text": {shower(contract.Reply[addOut]{Content: []contract.Content{image, contract.TextContent{Text: "x"}}}),
			[]string{"image", "text"}},
		"nothing":       {shower(contract.Reply[struct{}]{}), []string{"text"}},
		"an empty text": {shower(contract.Reply[string]{}), []string{"text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var types []string
			for _, item := range rawContent(t, handle(t, newKit(t, []*contract.Tool{test.tool}).server, callOf("art.show", `{}`))) {
				types = append(types, item["type"].(string))
			}
			assert.Equal(t, test.want, types)
		})
	}
}

func TestContent_ThatIsNotJSONIsNotSent(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, reply := range map[string]contract.Reply[struct{}]{
		"a channel in _meta":           {Meta: map[string]any{"c": make(chan int)}},
		"a channel in an item's _meta": {Content: []contract.Content{contract.TextContent{Meta: map[string]any{"c": make(chan int)}}}},
		"a NaN in a resource's _meta":  {Content: []contract.Content{contract.ResourceContent{ResourceMeta: map[string]any{"n": nan}}}},
		"a priority that is NaN": {Content: []contract.Content{contract.ImageContent{Annotations: contract.Annotations{
			Priority: &nan}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{shower(reply)})
			sdktest.EachEra(t, func(t *testing.T, e era) {
				sdktest.AssertRefused(t, k.call(e, "", "art.show", `{}`), contract.CodeOutputInvalid)
			})
		})
	}
}

func TestContent_TextInMetaIsSanitized(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{shower(contract.Reply[struct{}]{Content: []contract.Content{
		contract.ImageContent{Meta: map[string]any{"k": []string{"a\x1b[2Jb"}},
			Annotations: contract.Annotations{Audience: []string{"us\u202eer"}}},
	}})})
	raw := handle(t, k.server, callOf("art.show", `{}`))
	item := rawContent(t, raw)[0]
	assert.Equal(t, map[string]any{"k": []any{"ab"}}, item["_meta"])
	assert.Equal(t, map[string]any{"audience": []any{"user"}}, item["annotations"])
	assert.Positive(t, sdktest.Outcome(t, raw).Sanitized)
	require.NotEqual(t, mcp.ContentTypeText, item["type"])
}

func TestResultTooLarge_IsSentWithTheLimit(t *testing.T) {
	t.Parallel()
	large := string(make([]byte, 1<<20))
	k := newKit(t, []*contract.Tool{
		shower(contract.Reply[struct{}]{Meta: map[string]any{"k": large}}),
		wrapTool(plain("list"), returning(mcp.NewToolResultText("0123456789"), nil)).MaxResultBytes(9).MustBuild(),
		wrapTool(plain("create"), returning(mcp.NewToolResultText("0123456789"), nil)).MaxResultBytes(9).
			Effect(risk.LowRiskWrite).NoPermissions("a test").MustBuild(),
	})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for tool, text := range map[string]string{
			"art.show": "result_too_large: the result is larger than 1048576 bytes, the default of maxResultBytes\n" +
				"Ask for less, for example for fewer items, a narrower filter or a smaller page.",
			"list": "result_too_large: the result is larger than 9 bytes, the maxResultBytes of the contract\n" +
				"Ask for less, for example for fewer items, a narrower filter or a smaller page.",
			"create": "[FATAL] result_too_large: the result is larger than 9 bytes, the maxResultBytes of the contract\n" +
				"Effects may have happened.",
		} {
			raw := k.call(e, "", tool, `{}`)
			sdktest.AssertRefused(t, raw, contract.CodeResultTooLarge)
			assert.Equal(t, text, sdktest.Parse(t, raw).Result.Content[0].Text)
		}
	})
}
