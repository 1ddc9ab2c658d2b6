package adapter_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
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

func TestContent_IsWrittenAndReadInEveryKind(t *testing.T) {
	t.Parallel()
	for _, c := range contents {
		raw, err := adapter.MarshalContent(c.item)
		require.NoError(t, err)
		assert.Equal(t, c.wire, string(raw))
		read, err := adapter.UnmarshalContent(raw)
		require.NoError(t, err)
		assert.Equal(t, c.item, read)
	}
}

func TestContent_RefusesWhatNoResultHas(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`null`, `7`, `{}`, `{"type":"tool_use"}`, `{"type":"resource"}`, `{"type":"image","data":"!"}`,
		`{"type":"resource","resource":{"blob":"!"}}`} {
		_, err := adapter.UnmarshalContent([]byte(raw))
		var own *adapter.Error
		assert.ErrorAs(t, err, &own, raw)
	}
	_, err := adapter.MarshalContent(nil)
	assert.Error(t, err)
}

func TestContent_ReadsTheTimesOfTheProtocol(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]time.Time{
		"2026-01-02T03:04:05Z": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		"2026-01-02":           time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		"yesterday":            {},
	} {
		c, err := adapter.UnmarshalContent([]byte(`{"type":"text","text":"","annotations":{"lastModified":"` + sent + `"}}`))
		require.NoError(t, err)
		assert.Equal(t, contract.TextContent{Annotations: contract.Annotations{LastModified: want}}, c)
	}
}

func TestContent_LosesTheKeysOfTheProtocol(t *testing.T) {
	t.Parallel()
	forged := map[string]any{"io.modelcontextprotocol/related-task": "x"}
	items := []contract.Content{
		contract.TextContent{Text: "t", Meta: forged}, contract.ImageContent{MIMEType: "image/png", Data: []byte{1}, Meta: forged},
		contract.AudioContent{MIMEType: "audio/wav", Data: []byte{1}, Meta: forged},
		contract.LinkContent{URI: "a:b", Name: "n", Meta: forged},
		contract.ResourceContent{URI: "a:b", Text: "t", Meta: forged, ResourceMeta: forged},
	}
	tool := contract.New("notes.items", func(context.Context, empty) (contract.Reply[struct{}], error) {
		return contract.Reply[struct{}]{Content: items}, nil
	}).Description("Has items.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{tool}})
	answer := call(t.Context(), t, table, "notes_items", `{}`)
	require.Len(t, answer.Content, len(items))
	raw, err := json.Marshal(answer)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "related-task")
	assert.Len(t, forged, 1, "the map of the handler stays as it is")
}
