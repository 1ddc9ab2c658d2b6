package results

import (
	"encoding/base64"

	"github.com/toolcontract/toolcontract/contract"
)

// A kind is one of the types behind [contract.Content]. The zero kind is none
// of them. To add one, change this file, package contract, the adapters, and
// the results that guards store.
type kind uint8

// The kinds of content.
const (
	kindText kind = iota + 1
	kindImage
	kindAudio
	kindLink
	kindResource
)

// An item has the members of all kinds. Those that its own kind lacks are zero.
type item struct {
	kind kind

	Text, URI, Name, Title, Description, MIMEType string

	// Data is an image, a sound, or a resource. Nil is a resource that is text.
	Data []byte
	Size *int64

	Annotations        contract.Annotations
	Meta, ResourceMeta map[string]any
}

// openItem returns the members of a content item. It reports false for nil, and
// for a pointer to one of the types.
func openItem(c contract.Content) (item, bool) {
	switch c := c.(type) {
	case contract.TextContent:
		return item{kind: kindText, Text: c.Text, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.ImageContent:
		return item{kind: kindImage, Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.AudioContent:
		return item{kind: kindAudio, Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.LinkContent:
		return item{
			kind: kindLink, URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Annotations: c.Annotations, Meta: c.Meta,
		}, true
	case contract.ResourceContent:
		return item{
			kind: kindResource, URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Data: c.Blob,
			Annotations: c.Annotations, Meta: c.Meta, ResourceMeta: c.ResourceMeta,
		}, true
	}
	return item{}, false
}

// content returns the content of the item's kind, with the members that this
// kind has. It is nil for the zero kind.
func (i *item) content() contract.Content {
	switch i.kind {
	case kindText:
		return contract.TextContent{Text: i.Text, Annotations: i.Annotations, Meta: i.Meta}
	case kindImage:
		return contract.ImageContent{Data: i.Data, MIMEType: i.MIMEType, Annotations: i.Annotations, Meta: i.Meta}
	case kindAudio:
		return contract.AudioContent{Data: i.Data, MIMEType: i.MIMEType, Annotations: i.Annotations, Meta: i.Meta}
	case kindLink:
		return contract.LinkContent{
			URI: i.URI, Name: i.Name, Title: i.Title, Description: i.Description, MIMEType: i.MIMEType, Size: i.Size,
			Annotations: i.Annotations, Meta: i.Meta,
		}
	case kindResource:
		return contract.ResourceContent{
			URI: i.URI, MIMEType: i.MIMEType, Text: i.Text, Blob: i.Data,
			Annotations: i.Annotations, Meta: i.Meta, ResourceMeta: i.ResourceMeta,
		}
	}
	return nil
}

// texts returns the members of the item that are text, to read or to change.
func (i *item) texts() []*string {
	return []*string{&i.Text, &i.URI, &i.Name, &i.Title, &i.Description, &i.MIMEType}
}

// itemBytes is roughly the size of the member names of an item in JSON.
const itemBytes = 64

// wireBytes estimates how many bytes the item takes on the wire, without its
// _meta. It counts only members that a tool author can make long.
func (i *item) wireBytes() int {
	n := itemBytes + base64.StdEncoding.EncodedLen(len(i.Data))
	for _, text := range i.texts() {
		n += len(*text)
	}
	for _, role := range i.Annotations.Audience {
		n += len(role) + len(`"",`)
	}
	return n
}
