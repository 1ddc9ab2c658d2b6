package adapter_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

var (
	zero, size = 0.0, int64(0)
	annotated  = contract.Annotations{
		Audience: []string{"user"}, Priority: &zero, LastModified: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
	}
	ownMeta = map[string]any{"example.com/a": "b"}
)

// contents has every kind of content with its JSON, also with members that are
// empty and must be written.
var contents = []struct {
	item contract.Content
	wire string
}{
	{contract.TextContent{}, `{"type":"text","text":""}`},
	{
		contract.TextContent{Text: "<a>", Annotations: annotated, Meta: ownMeta},
		`{"annotations":{"audience":["user"],"priority":0,"lastModified":"2026-01-02T03:04:05.000000006Z"},` +
			`"_meta":{"example.com/a":"b"},"type":"text","text":"\u003ca\u003e"}`,
	},
	{contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"}, `{"type":"image","data":"AQ==","mimeType":"image/png"}`},
	{contract.AudioContent{Data: []byte{}}, `{"type":"audio","data":"","mimeType":""}`},
	{
		contract.LinkContent{URI: "file:///a", Name: "a", Size: &size},
		`{"type":"resource_link","uri":"file:///a","name":"a","description":"","mimeType":"","size":0}`,
	},
	{contract.ResourceContent{URI: "a:b"}, `{"type":"resource","resource":{"uri":"a:b","text":""}}`},
	{
		contract.ResourceContent{URI: "a:b", MIMEType: "text/plain", Text: "t", ResourceMeta: ownMeta},
		`{"type":"resource","resource":{"_meta":{"example.com/a":"b"},"uri":"a:b","mimeType":"text/plain","text":"t"}}`,
	},
	{contract.ResourceContent{URI: "a:b", Blob: []byte{}}, `{"type":"resource","resource":{"uri":"a:b","blob":""}}`},
}

func TestContentBlock_WritesAndReadsEveryKind(t *testing.T) {
	t.Parallel()
	for _, c := range contents {
		raw, err := json.Marshal(adapter.NewContentBlock(c.item))
		require.NoError(t, err)
		assert.Equal(t, c.wire, string(raw))
		var block adapter.ContentBlock
		require.NoError(t, json.Unmarshal(raw, &block))
		read, err := block.Content()
		require.NoError(t, err)
		assert.Equal(t, c.item, read)
	}
}

func TestContentBlock_RefusesWhatNoResultHas(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{}`, `{"type":"tool_use"}`, `{"type":"resource"}`, `{"type":"image","data":"!"}`,
		`{"type":"resource","resource":{"blob":"!"}}`} {
		var block adapter.ContentBlock
		require.NoError(t, json.Unmarshal([]byte(raw), &block))
		_, err := block.Content()
		var own *adapter.Error
		assert.ErrorAs(t, err, &own, raw)
	}
	_, err := json.Marshal(adapter.ContentBlock{Type: "tool_use"})
	assert.Error(t, err)
}

func TestContentBlock_ReadsTheTimesOfTheProtocol(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]time.Time{
		"2026-01-02T03:04:05Z": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		"2026-01-02":           time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		"yesterday":            {},
	} {
		c, err := adapter.ContentBlock{Type: "text", Annotations: &adapter.ContentAnnotations{LastModified: sent}}.Content()
		require.NoError(t, err)
		assert.Equal(t, contract.TextContent{Annotations: contract.Annotations{LastModified: want}}, c)
	}
}

func TestNewContentBlock_DropsTheKeysOfTheProtocol(t *testing.T) {
	t.Parallel()
	forged := map[string]any{"io.modelcontextprotocol/related-task": "x"}
	assert.Nil(t, adapter.NewContentBlock(contract.TextContent{Meta: forged}).Meta)
	assert.Nil(t, adapter.NewContentBlock(contract.ResourceContent{ResourceMeta: forged}).Resource.Meta)
	assert.Len(t, forged, 1, "the map of the handler stays as it is")
}
