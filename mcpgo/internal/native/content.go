package native

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// fromContent returns an item in mcp-go's form.
func fromContent(item contract.Content) mcp.Content {
	switch c := item.(type) {
	case contract.TextContent:
		return mcp.TextContent{
			Annotated: nativeAnnotations(c.Annotations), Meta: nativeMeta(c.Meta), Type: mcp.ContentTypeText, Text: c.Text,
		}
	case contract.ImageContent:
		return mcp.ImageContent{
			Annotated: nativeAnnotations(c.Annotations), Meta: nativeMeta(c.Meta), Type: mcp.ContentTypeImage,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.AudioContent:
		return mcp.AudioContent{
			Annotated: nativeAnnotations(c.Annotations), Meta: nativeMeta(c.Meta), Type: mcp.ContentTypeAudio,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.LinkContent:
		return mcp.ResourceLink{
			Annotated: nativeAnnotations(c.Annotations), Meta: nativeMeta(c.Meta), Type: mcp.ContentTypeLink,
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
		}
	case contract.ResourceContent:
		var resource mcp.ResourceContents = mcp.TextResourceContents{Meta: c.ResourceMeta, URI: c.URI, MIMEType: c.MIMEType,
			Text: c.Text}
		if c.Blob != nil {
			resource = mcp.BlobResourceContents{Meta: c.ResourceMeta, URI: c.URI, MIMEType: c.MIMEType,
				Blob: base64.StdEncoding.EncodeToString(c.Blob)}
		}
		return mcp.EmbeddedResource{Annotated: nativeAnnotations(c.Annotations), Meta: nativeMeta(c.Meta),
			Type: mcp.ContentTypeResource, Resource: resource}
	}
	return nil // an answer has no other kind
}

func nativeAnnotations(a contract.Annotations) mcp.Annotated {
	if len(a.Audience) == 0 && a.Priority == nil && a.LastModified.IsZero() {
		return mcp.Annotated{}
	}
	w := &mcp.Annotations{Priority: a.Priority}
	if !a.LastModified.IsZero() {
		w.LastModified = a.LastModified.Format(time.RFC3339Nano)
	}
	for _, role := range a.Audience {
		w.Audience = append(w.Audience, mcp.Role(role))
	}
	return mcp.Annotated{Annotations: w}
}

// nativeMeta returns nil if there are no fields, because mcp-go writes an empty
// Meta as {}.
func nativeMeta(fields map[string]any) *mcp.Meta {
	if len(fields) == 0 {
		return nil
	}
	return &mcp.Meta{AdditionalFields: fields}
}

var errContentType = errors.New("mcpgo: an item of the content is nil, or of a type that no tool result has")

// readContent reads an item from a handler written for mcp-go. The item may be
// a value or a pointer.
func readContent(item mcp.Content) (contract.Content, error) {
	switch c := valueOf(item).(type) {
	case mcp.TextContent:
		return contract.TextContent{Text: c.Text, Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta)}, nil
	case mcp.ImageContent:
		data, err := readBytes(c.Data)
		return contract.ImageContent{Data: data, MIMEType: c.MIMEType, Annotations: annotationsOf(c.Annotated),
			Meta: fieldsOf(c.Meta)}, err
	case mcp.AudioContent:
		data, err := readBytes(c.Data)
		return contract.AudioContent{Data: data, MIMEType: c.MIMEType, Annotations: annotationsOf(c.Annotated),
			Meta: fieldsOf(c.Meta)}, err
	case mcp.ResourceLink:
		return contract.LinkContent{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta),
		}, nil
	case mcp.EmbeddedResource:
		read := contract.ResourceContent{Annotations: annotationsOf(c.Annotated), Meta: fieldsOf(c.Meta)}
		var err error
		switch r := valueOf(c.Resource).(type) {
		case mcp.TextResourceContents:
			read.URI, read.MIMEType, read.Text, read.ResourceMeta = r.URI, r.MIMEType, r.Text, r.Meta
		case mcp.BlobResourceContents:
			read.URI, read.MIMEType, read.ResourceMeta = r.URI, r.MIMEType, r.Meta
			read.Blob, err = readBytes(r.Blob)
		default:
			err = errContentType
		}
		return read, err
	}
	return nil, errContentType
}

// readBytes decodes base64. Without an error the bytes are not nil, because an
// empty blob is still a blob.
func readBytes(data string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: content: %w", err)
	}
	return raw, nil
}

// valueOf returns what item points to if that is a T too, and otherwise item.
func valueOf[T any](item T) T {
	if v := reflect.ValueOf(item); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, ok := reflect.TypeAssert[T](v.Elem()); ok {
			return elem
		}
	}
	return item
}

func annotationsOf(a mcp.Annotated) contract.Annotations {
	if a.Annotations == nil {
		return contract.Annotations{}
	}
	read := contract.Annotations{Priority: a.Annotations.Priority, LastModified: adapter.LastModified(a.Annotations.LastModified)}
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
