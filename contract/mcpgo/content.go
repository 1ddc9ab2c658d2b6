package mcpgo

import (
	"errors"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

// nativeContent returns the mcp-go form of an item.
func nativeContent(b *adapter.ContentBlock) mcp.Content {
	annotated, meta := nativeAnnotations(b.Annotations), nativeMeta(b.Meta)
	switch b.Type {
	case mcp.ContentTypeText:
		return mcp.TextContent{Annotated: annotated, Meta: meta, Type: b.Type, Text: b.Text}
	case mcp.ContentTypeImage:
		return mcp.ImageContent{Annotated: annotated, Meta: meta, Type: b.Type, Data: b.Data, MIMEType: b.MIMEType}
	case mcp.ContentTypeAudio:
		return mcp.AudioContent{Annotated: annotated, Meta: meta, Type: b.Type, Data: b.Data, MIMEType: b.MIMEType}
	case mcp.ContentTypeLink:
		return mcp.ResourceLink{
			Annotated: annotated, Meta: meta, Type: b.Type,
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType, Size: b.Size,
		}
	case mcp.ContentTypeResource:
		r := b.Resource
		var resource mcp.ResourceContents = mcp.TextResourceContents{Meta: r.Meta, URI: r.URI, MIMEType: r.MIMEType, Text: r.Text}
		if r.Blob != nil {
			resource = mcp.BlobResourceContents{Meta: r.Meta, URI: r.URI, MIMEType: r.MIMEType, Blob: *r.Blob}
		}
		return mcp.EmbeddedResource{Annotated: annotated, Meta: meta, Type: b.Type, Resource: resource}
	}
	return nil // an answer has no other kind
}

func nativeAnnotations(a *adapter.ContentAnnotations) mcp.Annotated {
	if a == nil {
		return mcp.Annotated{}
	}
	w := &mcp.Annotations{Priority: a.Priority, LastModified: a.LastModified}
	for _, role := range a.Audience {
		w.Audience = append(w.Audience, mcp.Role(role))
	}
	return mcp.Annotated{Annotations: w}
}

// nativeMeta returns nil for no fields, because mcp-go writes an empty Meta as
// {}.
func nativeMeta(fields map[string]any) *mcp.Meta {
	if len(fields) == 0 {
		return nil
	}
	return &mcp.Meta{AdditionalFields: fields}
}

var errContentType = errors.New("mcpgo: an item of the content is nil, or of a type that no tool result has")

// readContent reads an item that a handler for mcp-go returned, by value or by
// pointer.
func readContent(item mcp.Content) (contract.Content, error) {
	block, err := blockOf(item)
	if err != nil {
		return nil, err
	}
	c, err := block.Content()
	return c, adapter.In(packageName, err)
}

func blockOf(item mcp.Content) (adapter.ContentBlock, error) {
	switch c := valueOf(item).(type) {
	case mcp.TextContent:
		return adapter.ContentBlock{Type: mcp.ContentTypeText, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta),
			Text: c.Text}, nil
	case mcp.ImageContent:
		return adapter.ContentBlock{
			Type: mcp.ContentTypeImage, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta), Data: c.Data,
			MIMEType: c.MIMEType,
		}, nil
	case mcp.AudioContent:
		return adapter.ContentBlock{
			Type: mcp.ContentTypeAudio, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta), Data: c.Data,
			MIMEType: c.MIMEType,
		}, nil
	case mcp.ResourceLink:
		return adapter.ContentBlock{
			Type: mcp.ContentTypeLink, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta),
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
		}, nil
	case mcp.EmbeddedResource:
		b := adapter.ContentBlock{Type: mcp.ContentTypeResource, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta)}
		switch r := valueOf(c.Resource).(type) {
		case mcp.TextResourceContents:
			b.Resource = &adapter.ResourceContents{Meta: r.Meta, URI: r.URI, MIMEType: r.MIMEType, Text: r.Text}
		case mcp.BlobResourceContents:
			b.Resource = &adapter.ResourceContents{Meta: r.Meta, URI: r.URI, MIMEType: r.MIMEType, Blob: &r.Blob}
		default:
			return b, errContentType
		}
		return b, nil
	}
	return adapter.ContentBlock{}, errContentType
}

// valueOf returns what a pointer points to, if it is a T too.
func valueOf[T any](item T) T {
	if v := reflect.ValueOf(item); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, ok := reflect.TypeAssert[T](v.Elem()); ok {
			return elem
		}
	}
	return item
}

func annotationsOf(a mcp.Annotated) *adapter.ContentAnnotations {
	if a.Annotations == nil {
		return nil
	}
	read := &adapter.ContentAnnotations{Priority: a.Annotations.Priority, LastModified: a.Annotations.LastModified}
	for _, role := range a.Annotations.Audience {
		read.Audience = append(read.Audience, string(role))
	}
	return read
}

func fieldsOf(m *mcp.Meta) map[string]any {
	if m == nil {
		return nil
	}
	return m.AdditionalFields
}
