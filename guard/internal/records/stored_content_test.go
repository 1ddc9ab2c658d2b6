package records

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// samples has a content of each kind, with all of its members set, and its
// stored form.
func samples() map[string]contract.Content {
	priority, size := 0.5, int64(7)
	about := contract.Annotations{Audience: []string{"user"}, Priority: &priority, LastModified: time.Unix(0, 0).UTC()}
	meta := map[string]any{"a": "b"}
	const tail = `"Annotations":{"Audience":["user"],"Priority":0.5,"LastModified":"1970-01-01T00:00:00Z"},"Meta":{"a":"b"}`
	return map[string]contract.Content{
		`{"Text":{"Text":"text",` + tail + `}}`: contract.TextContent{Text: "text", Annotations: about,
			Meta: meta},
		`{"Image":{"Data":"AQI=","MIMEType":"image/png",` + tail + `}}`: contract.ImageContent{Data: []byte{1, 2},
			MIMEType: "image/png", Annotations: about, Meta: meta},
		`{"Audio":{"Data":"AQI=","MIMEType":"audio/wav",` + tail + `}}`: contract.AudioContent{Data: []byte{1, 2},
			MIMEType: "audio/wav", Annotations: about, Meta: meta},
		`{"Link":{"URI":"u:u","Name":"name","Title":"title","Description":"text","MIMEType":"a/b","Size":7,` + tail +
			`}}`: contract.LinkContent{
			URI: "u:u", Name: "name", Title: "title", Description: "text", MIMEType: "a/b", Size: &size, Annotations: about, Meta: meta,
		},
		`{"Resource":{"URI":"u:u","MIMEType":"a/b","Text":"text","Blob":"AQI=",` + tail +
			`,"ResourceMeta":{"a":"b"}}}`: contract.ResourceContent{
			URI: "u:u", MIMEType: "a/b", Text: "text", Blob: []byte{1, 2}, Annotations: about, Meta: meta, ResourceMeta: meta,
		},
	}
}

// Records that an earlier release stored are read again.
func TestStored_KeepsItsForm(t *testing.T) {
	t.Parallel()
	for want, c := range samples() {
		raw, err := json.Marshal(storeContent(c))
		require.NoError(t, err)
		assert.Equal(t, want, string(raw))
		var read storedContent
		require.NoError(t, json.Unmarshal(raw, &read))
		got, ok := read.content()
		assert.True(t, ok)
		assert.Equal(t, c, got)
	}
}

func TestStored_HasNoMemberForWhatIsNoContent(t *testing.T) {
	t.Parallel()
	for _, c := range []contract.Content{nil, &contract.TextContent{Text: "x"}} {
		_, ok := storeContent(c).content()
		assert.False(t, ok)
	}
}
