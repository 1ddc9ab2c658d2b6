package adapter

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// The types of a content block.
const (
	typeText     = "text"
	typeImage    = "image"
	typeAudio    = "audio"
	typeLink     = "resource_link"
	typeResource = "resource"
)

// A ContentBlock is one item of a result in the form of the protocol.
// [NewContentBlock] writes it and [ContentBlock.Content] reads it. Adapters
// whose SDK has types of its own copy the fields; all others use its JSON, so
// that the bytes of all adapters agree.
type ContentBlock struct {
	// Type is text, image, audio, resource_link or resource. The other fields
	// count only for some types.
	Type string `json:"type"`
	// Annotations and Meta are nil if there are none.
	Annotations *ContentAnnotations `json:"annotations"`
	Meta        map[string]any      `json:"_meta"`
	// Text is that of a text.
	Text string `json:"text"`
	// Data is the base64 of an image or of a sound.
	Data string `json:"data"`
	// MIMEType is that of an image, a sound or a link.
	MIMEType string `json:"mimeType"`
	// URI, Name, Title, Description and Size are those of a link.
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Size        *int64 `json:"size"`
	// Resource is that of an embedded resource.
	Resource *ResourceContents `json:"resource"`
}

// ContentAnnotations are the annotations of a [ContentBlock].
type ContentAnnotations struct {
	// Audience, Priority and LastModified are those of [contract.Annotations].
	// LastModified is a time of RFC 3339, or a date. Empty: there is none.
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
}

// ResourceContents is the resource in a [ContentBlock].
type ResourceContents struct {
	// Meta is the resource's own _meta. Nil: there is none.
	Meta map[string]any `json:"_meta,omitempty"`
	// URI is the resource's address, and MIMEType the type of Text or Blob.
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	// Text counts if Blob is nil. Blob is the base64 of bytes.
	Text string  `json:"text,omitempty"`
	Blob *string `json:"blob,omitempty"`
}

// MarshalJSON writes the members that the type has. A text is written also if
// it is empty.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	type head struct {
		Annotations *ContentAnnotations `json:"annotations,omitempty"`
		Meta        map[string]any      `json:"_meta,omitempty"`
		Type        string              `json:"type"`
	}
	h := head{b.Annotations, b.Meta, b.Type}
	switch b.Type {
	case typeText:
		return json.Marshal(struct {
			head
			Text string `json:"text"`
		}{h, b.Text})
	case typeImage, typeAudio:
		return json.Marshal(struct {
			head
			Data     string `json:"data"`
			MIMEType string `json:"mimeType"`
		}{h, b.Data, b.MIMEType})
	case typeLink:
		return json.Marshal(struct {
			head
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Title       string `json:"title,omitempty"`
			Description string `json:"description"`
			MIMEType    string `json:"mimeType"`
			Size        *int64 `json:"size,omitempty"`
		}{h, b.URI, b.Name, b.Title, b.Description, b.MIMEType, b.Size})
	case typeResource:
		return json.Marshal(struct {
			head
			Resource *ResourceContents `json:"resource"`
		}{h, b.Resource})
	}
	return nil, errContentType
}

// MarshalJSON writes text or blob, also if it is empty.
func (r ResourceContents) MarshalJSON() ([]byte, error) {
	type head struct {
		Meta     map[string]any `json:"_meta,omitempty"`
		URI      string         `json:"uri"`
		MIMEType string         `json:"mimeType,omitempty"`
	}
	h := head{r.Meta, r.URI, r.MIMEType}
	if r.Blob != nil {
		return json.Marshal(struct {
			head
			Blob string `json:"blob"`
		}{h, *r.Blob})
	}
	return json.Marshal(struct {
		head
		Text string `json:"text"`
	}{h, r.Text})
}

// NewContentBlock returns an item of a checked result. Its _meta lacks the keys
// of the protocol.
func NewContentBlock(item contract.Content) ContentBlock {
	switch c := item.(type) {
	case contract.TextContent:
		return ContentBlock{Type: typeText, Annotations: writeAnnotations(c.Annotations), Meta: itemMeta(c.Meta), Text: c.Text}
	case contract.ImageContent:
		return ContentBlock{
			Type: typeImage, Annotations: writeAnnotations(c.Annotations), Meta: itemMeta(c.Meta),
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.AudioContent:
		return ContentBlock{
			Type: typeAudio, Annotations: writeAnnotations(c.Annotations), Meta: itemMeta(c.Meta),
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.LinkContent:
		return ContentBlock{
			Type: typeLink, Annotations: writeAnnotations(c.Annotations), Meta: itemMeta(c.Meta),
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
		}
	case contract.ResourceContent:
		resource := &ResourceContents{Meta: itemMeta(c.ResourceMeta), URI: c.URI, MIMEType: c.MIMEType, Text: c.Text}
		if c.Blob != nil {
			blob := base64.StdEncoding.EncodeToString(c.Blob)
			resource.Blob, resource.Text = &blob, ""
		}
		return ContentBlock{Type: typeResource, Annotations: writeAnnotations(c.Annotations), Meta: itemMeta(c.Meta),
			Resource: resource}
	}
	return ContentBlock{} // a guard returns no other kind
}

func writeAnnotations(a contract.Annotations) *ContentAnnotations {
	if len(a.Audience) == 0 && a.Priority == nil && a.LastModified.IsZero() {
		return nil
	}
	w := &ContentAnnotations{Audience: a.Audience, Priority: a.Priority}
	if !a.LastModified.IsZero() {
		w.LastModified = a.LastModified.Format(time.RFC3339Nano)
	}
	return w
}

var errContentType = &Error{Reason: "an item of the content is nil, or of a type that no tool result has"}

// Content returns the item of a result that a handler wrote. An unknown type
// and invalid base64 are errors. A lastModified that is no time is left out.
func (b ContentBlock) Content() (contract.Content, error) {
	annotations := readAnnotations(b.Annotations)
	switch b.Type {
	case typeText:
		return contract.TextContent{Text: b.Text, Annotations: annotations, Meta: b.Meta}, nil
	case typeImage:
		data, err := readBytes(b.Data)
		return contract.ImageContent{Data: data, MIMEType: b.MIMEType, Annotations: annotations, Meta: b.Meta}, err
	case typeAudio:
		data, err := readBytes(b.Data)
		return contract.AudioContent{Data: data, MIMEType: b.MIMEType, Annotations: annotations, Meta: b.Meta}, err
	case typeLink:
		return contract.LinkContent{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType, Size: b.Size,
			Annotations: annotations, Meta: b.Meta,
		}, nil
	case typeResource:
		if b.Resource == nil {
			return nil, errContentType
		}
		c := contract.ResourceContent{
			URI: b.Resource.URI, MIMEType: b.Resource.MIMEType, Text: b.Resource.Text, ResourceMeta: b.Resource.Meta,
			Annotations: annotations, Meta: b.Meta,
		}
		var err error
		if b.Resource.Blob != nil {
			c.Text = ""
			c.Blob, err = readBytes(*b.Resource.Blob)
		}
		return c, err
	}
	return nil, errContentType
}

// readBytes returns no nil bytes without an error, because an empty blob is a
// blob.
func readBytes(data string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, &Error{Reason: "content", Err: err}
	}
	return raw, nil
}

func readAnnotations(a *ContentAnnotations) contract.Annotations {
	if a == nil {
		return contract.Annotations{}
	}
	read := contract.Annotations{Audience: a.Audience, Priority: a.Priority}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, a.LastModified); err == nil {
			read.LastModified = at
			break
		}
	}
	return read
}
