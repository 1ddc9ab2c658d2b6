package results

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// samples has a content of each kind, with all of its members set.
func samples() []contract.Content {
	priority, size := 0.5, int64(7)
	about := contract.Annotations{Audience: []string{"user"}, Priority: &priority, LastModified: time.Unix(0, 0).UTC()}
	meta := map[string]any{"a": "b"}
	return []contract.Content{
		contract.TextContent{Text: "text", Annotations: about, Meta: meta},
		contract.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png", Annotations: about, Meta: meta},
		contract.AudioContent{Data: []byte{1, 2}, MIMEType: "audio/wav", Annotations: about, Meta: meta},
		contract.LinkContent{
			URI: "u:u", Name: "name", Title: "title", Description: "text", MIMEType: "a/b", Size: &size, Annotations: about, Meta: meta,
		},
		contract.ResourceContent{
			URI: "u:u", MIMEType: "a/b", Text: "text", Blob: []byte{1, 2}, Annotations: about, Meta: meta, ResourceMeta: meta,
		},
	}
}

func TestItem_KeepsEveryMemberOfEveryKind(t *testing.T) {
	t.Parallel()
	for _, c := range samples() {
		v := reflect.ValueOf(c)
		for i := range v.NumField() {
			require.False(t, v.Field(i).IsZero(), "the sample sets %s of %s", v.Type().Field(i).Name, v.Type())
		}
		item, ok := openItem(c)
		require.True(t, ok)
		assert.Equal(t, c, item.content())
	}
}

func TestItem_TextsAreAllStringMembers(t *testing.T) {
	t.Parallel()
	for _, c := range samples() {
		item, _ := openItem(c)
		for _, text := range item.texts() {
			if *text != "" {
				*text = "changed"
			}
		}
		v := reflect.ValueOf(item.content())
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.String {
				assert.Equal(t, "changed", f.String(), "%s of %s", v.Type().Field(i).Name, v.Type())
			}
		}
	}
}

func TestOpen_RefusesWhatIsNoContent(t *testing.T) {
	t.Parallel()
	for _, c := range []contract.Content{nil, &contract.TextContent{Text: "x"}} {
		item, ok := openItem(c)
		assert.False(t, ok)
		assert.Nil(t, item.content())
	}
}

func TestWireBytes_CountsTextsDataAndRoles(t *testing.T) {
	t.Parallel()
	link, _ := openItem(contract.LinkContent{URI: "12", Name: "3", Title: "4", Description: "56", MIMEType: "7"})
	assert.Equal(t, itemBytes+7, link.wireBytes())
	image, _ := openItem(contract.ImageContent{Data: make([]byte, 4),
		Annotations: contract.Annotations{Audience: []string{"user"}}})
	assert.Equal(t, itemBytes+8+7, image.wireBytes(), "base64, and the role with its quotes and comma")
}
