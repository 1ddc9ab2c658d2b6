// Package content knows the kinds of content that a result can hold. A new kind
// is added here, in package contract, in the adapters, and where the guard
// delimits texts.
package content

import (
	"encoding/base64"

	"github.com/toolcontract/toolcontract/contract"
)

// A Kind is one of the types behind [contract.Content]. The zero Kind is none.
type Kind uint8

// The kinds of content.
const (
	Text Kind = iota + 1
	Image
	Audio
	Link
	Resource
)

// An Item has the members of all kinds. Members that its kind does not have are
// zero.
type Item struct {
	Kind Kind

	Text, URI, Name, Title, Description, MIMEType string

	// Data is an image, a sound, or a resource. Nil is a resource that is text.
	Data []byte
	Size *int64

	Annotations        contract.Annotations
	Meta, ResourceMeta map[string]any
}

// Open returns the members of a content item. It reports false for nil, and for
// a pointer to one of the types.
func Open(c contract.Content) (Item, bool) {
	switch c := c.(type) {
	case contract.TextContent:
		return Item{Kind: Text, Text: c.Text, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.ImageContent:
		return Item{Kind: Image, Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.AudioContent:
		return Item{Kind: Audio, Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}, true
	case contract.LinkContent:
		return Item{
			Kind: Link, URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Annotations: c.Annotations, Meta: c.Meta,
		}, true
	case contract.ResourceContent:
		return Item{
			Kind: Resource, URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Data: c.Blob,
			Annotations: c.Annotations, Meta: c.Meta, ResourceMeta: c.ResourceMeta,
		}, true
	}
	return Item{}, false
}

// Content returns the content of the item's kind, with the members that this
// kind has. It is nil for the zero Kind.
func (i *Item) Content() contract.Content {
	switch i.Kind {
	case Text:
		return contract.TextContent{Text: i.Text, Annotations: i.Annotations, Meta: i.Meta}
	case Image:
		return contract.ImageContent{Data: i.Data, MIMEType: i.MIMEType, Annotations: i.Annotations, Meta: i.Meta}
	case Audio:
		return contract.AudioContent{Data: i.Data, MIMEType: i.MIMEType, Annotations: i.Annotations, Meta: i.Meta}
	case Link:
		return contract.LinkContent{
			URI: i.URI, Name: i.Name, Title: i.Title, Description: i.Description, MIMEType: i.MIMEType, Size: i.Size,
			Annotations: i.Annotations, Meta: i.Meta,
		}
	case Resource:
		return contract.ResourceContent{
			URI: i.URI, MIMEType: i.MIMEType, Text: i.Text, Blob: i.Data,
			Annotations: i.Annotations, Meta: i.Meta, ResourceMeta: i.ResourceMeta,
		}
	}
	return nil
}

// Texts returns the members of the item that are text, to read or to change.
func (i *Item) Texts() []*string {
	return []*string{&i.Text, &i.URI, &i.Name, &i.Title, &i.Description, &i.MIMEType}
}

// WireBytes returns about how many bytes the values of the item take on the
// wire, without _meta. It counts only members that a tool author can make long.
func (i *Item) WireBytes() int {
	n := base64.StdEncoding.EncodedLen(len(i.Data))
	for _, text := range i.Texts() {
		n += len(*text)
	}
	for _, role := range i.Annotations.Audience {
		n += len(role) + len(`"",`)
	}
	return n
}
