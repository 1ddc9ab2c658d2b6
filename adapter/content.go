package adapter

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// The types of content items.
const (
	typeText     = "text"
	typeImage    = "image"
	typeAudio    = "audio"
	typeLink     = "resource_link"
	typeResource = "resource"
)

// The heads of items and of resources, which every type has. A member is
// written even if it is empty, unless it has omitempty.
type (
	contentHead struct {
		Annotations *contentAnnotations `json:"annotations,omitempty"`
		Meta        map[string]any      `json:"_meta,omitempty"`
		Type        string              `json:"type"`
	}
	contentAnnotations struct {
		Audience     []string `json:"audience,omitempty"`
		Priority     *float64 `json:"priority,omitempty"`
		LastModified string   `json:"lastModified,omitempty"` // a time of RFC 3339, or a date
	}
	resourceHead struct {
		Meta     map[string]any `json:"_meta,omitempty"`
		URI      string         `json:"uri"`
		MIMEType string         `json:"mimeType,omitempty"`
	}
)

var errContentType = &Error{Reason: "an item of the content is nil, or of a type that no tool result has"}

// MarshalContent returns an item of a [CallResult] in the protocol's form.
// Adapters whose SDK has its own types convert the item to those. All others
// write this JSON, so that all adapters write the same bytes.
func MarshalContent(item contract.Content) ([]byte, error) {
	switch c := item.(type) {
	case contract.TextContent:
		return json.Marshal(struct {
			contentHead
			Text string `json:"text"`
		}{headOf(typeText, c.Annotations, c.Meta), c.Text})
	case contract.ImageContent:
		return marshalBytes(headOf(typeImage, c.Annotations, c.Meta), c.Data, c.MIMEType)
	case contract.AudioContent:
		return marshalBytes(headOf(typeAudio, c.Annotations, c.Meta), c.Data, c.MIMEType)
	case contract.LinkContent:
		return json.Marshal(struct {
			contentHead
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Title       string `json:"title,omitempty"`
			Description string `json:"description"`
			MIMEType    string `json:"mimeType"`
			Size        *int64 `json:"size,omitempty"`
		}{headOf(typeLink, c.Annotations, c.Meta), c.URI, c.Name, c.Title, c.Description, c.MIMEType, c.Size})
	case contract.ResourceContent:
		var resource any = struct {
			resourceHead
			Text string `json:"text"`
		}{resourceHead{c.ResourceMeta, c.URI, c.MIMEType}, c.Text}
		if c.Blob != nil {
			resource = struct {
				resourceHead
				Blob string `json:"blob"`
			}{resourceHead{c.ResourceMeta, c.URI, c.MIMEType}, base64.StdEncoding.EncodeToString(c.Blob)}
		}
		return json.Marshal(struct {
			contentHead
			Resource any `json:"resource"`
		}{headOf(typeResource, c.Annotations, c.Meta), resource})
	}
	return nil, errContentType
}

func marshalBytes(head contentHead, data []byte, mimeType string) ([]byte, error) {
	return json.Marshal(struct {
		contentHead
		Data     string `json:"data"` // a nil slice would be null
		MIMEType string `json:"mimeType"`
	}{head, base64.StdEncoding.EncodeToString(data), mimeType})
}

func headOf(kind string, a contract.Annotations, meta map[string]any) contentHead {
	head := contentHead{Meta: meta, Type: kind}
	if len(a.Audience) > 0 || a.Priority != nil || !a.LastModified.IsZero() {
		head.Annotations = &contentAnnotations{Audience: a.Audience, Priority: a.Priority}
	}
	if !a.LastModified.IsZero() {
		head.Annotations.LastModified = a.LastModified.Format(time.RFC3339Nano)
	}
	return head
}

// UnmarshalContent reads an item that a handler wrote in the protocol's form.
// An unknown type and invalid base64 are errors. A lastModified that is not a
// time is left out.
func UnmarshalContent(raw []byte) (contract.Content, error) {
	var b struct {
		contentHead
		Text        string `json:"text"`
		Data        string `json:"data"`
		MIMEType    string `json:"mimeType"`
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Size        *int64 `json:"size"`
		Resource    *struct {
			resourceHead
			Text string  `json:"text"`
			Blob *string `json:"blob"`
		} `json:"resource"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, &Error{Reason: "content", Err: err}
	}
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
		r := b.Resource
		if r == nil {
			return nil, errContentType
		}
		c := contract.ResourceContent{
			URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, ResourceMeta: r.Meta, Annotations: annotations, Meta: b.Meta,
		}
		var err error
		if r.Blob != nil {
			c.Text = ""
			c.Blob, err = readBytes(*r.Blob)
		}
		return c, err
	}
	return nil, errContentType
}

// readBytes never returns nil without an error, because an empty blob is still
// a blob.
func readBytes(data string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, &Error{Reason: "content", Err: err}
	}
	return raw, nil
}

func readAnnotations(a *contentAnnotations) contract.Annotations {
	if a == nil {
		return contract.Annotations{}
	}
	return contract.Annotations{Audience: a.Audience, Priority: a.Priority, LastModified: LastModified(a.LastModified)}
}

// LastModified parses the lastModified of an item's annotations: an RFC 3339
// time, or a date, which means its first moment in UTC. It returns the zero
// time for any other text.
func LastModified(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
