package mcpgo

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// wireContent returns the mcp-go form of an item of a checked result.
func wireContent(item contract.Content) mcp.Content {
	switch c := item.(type) {
	case contract.TextContent:
		return mcp.TextContent{Annotated: wireAnnotations(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeText, Text: c.Text}
	case contract.ImageContent:
		return mcp.ImageContent{
			Annotated: wireAnnotations(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeImage,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.AudioContent:
		return mcp.AudioContent{
			Annotated: wireAnnotations(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeAudio,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.LinkContent:
		return mcp.ResourceLink{
			Annotated: wireAnnotations(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeLink,
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
		}
	case contract.ResourceContent:
		var resource mcp.ResourceContents = mcp.TextResourceContents{Meta: itemMeta(c.ResourceMeta), URI: c.URI, MIMEType: c.MIMEType, Text: c.Text}
		if c.Blob != nil {
			resource = mcp.BlobResourceContents{Meta: itemMeta(c.ResourceMeta), URI: c.URI, MIMEType: c.MIMEType, Blob: base64.StdEncoding.EncodeToString(c.Blob)}
		}
		return mcp.EmbeddedResource{Annotated: wireAnnotations(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeResource, Resource: resource}
	}
	return nil // a guard returns no other kind
}

func wireAnnotations(a contract.Annotations) mcp.Annotated {
	if len(a.Audience) == 0 && a.Priority == nil && a.LastModified.IsZero() {
		return mcp.Annotated{}
	}
	w := &mcp.Annotations{Priority: a.Priority}
	for _, role := range a.Audience {
		w.Audience = append(w.Audience, mcp.Role(role))
	}
	if !a.LastModified.IsZero() {
		w.LastModified = a.LastModified.Format(time.RFC3339Nano)
	}
	return mcp.Annotated{Annotations: w}
}

// wireMeta returns nil for no fields, because mcp-go writes an empty Meta as
// {}.
func wireMeta(fields map[string]any) *mcp.Meta {
	if fields = itemMeta(fields); fields == nil {
		return nil
	}
	return &mcp.Meta{AdditionalFields: fields}
}

// readContent reads an item that a handler for mcp-go returned, by value or by
// pointer.
func readContent(item mcp.Content) (contract.Content, error) {
	if v := reflect.ValueOf(item); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, ok := reflect.TypeAssert[mcp.Content](v.Elem()); ok {
			item = elem
		}
	}
	switch c := item.(type) {
	case mcp.TextContent:
		return contract.TextContent{Text: c.Text, Annotations: readAnnotations(c.Annotated), Meta: readMeta(c.Meta)}, nil
	case mcp.ImageContent:
		data, err := readBytes(c.Data)
		return contract.ImageContent{Data: data, MIMEType: c.MIMEType, Annotations: readAnnotations(c.Annotated), Meta: readMeta(c.Meta)}, err
	case mcp.AudioContent:
		data, err := readBytes(c.Data)
		return contract.AudioContent{Data: data, MIMEType: c.MIMEType, Annotations: readAnnotations(c.Annotated), Meta: readMeta(c.Meta)}, err
	case mcp.ResourceLink:
		return contract.LinkContent{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Annotations: readAnnotations(c.Annotated), Meta: readMeta(c.Meta),
		}, nil
	case mcp.EmbeddedResource:
		return readResource(c)
	}
	return nil, errContentType
}

func readResource(e mcp.EmbeddedResource) (contract.Content, error) {
	resource := contract.ResourceContent{Annotations: readAnnotations(e.Annotated), Meta: readMeta(e.Meta)}
	contents := e.Resource
	if v := reflect.ValueOf(contents); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, ok := reflect.TypeAssert[mcp.ResourceContents](v.Elem()); ok {
			contents = elem
		}
	}
	var err error
	switch r := contents.(type) {
	case mcp.TextResourceContents:
		resource.URI, resource.MIMEType, resource.Text, resource.ResourceMeta = r.URI, r.MIMEType, r.Text, r.Meta
	case mcp.BlobResourceContents:
		resource.URI, resource.MIMEType, resource.ResourceMeta = r.URI, r.MIMEType, r.Meta
		resource.Blob, err = readBytes(r.Blob)
	default:
		err = errContentType
	}
	return resource, err
}

// readBytes never returns nil bytes, because an empty blob is a blob.
func readBytes(data string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: content: %w", err)
	}
	return append([]byte{}, raw...), nil
}

func readAnnotations(a mcp.Annotated) contract.Annotations {
	if a.Annotations == nil {
		return contract.Annotations{}
	}
	read := contract.Annotations{Priority: a.Annotations.Priority}
	for _, role := range a.Annotations.Audience {
		read.Audience = append(read.Audience, string(role))
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, a.Annotations.LastModified); err == nil {
			read.LastModified = at
			break
		}
	}
	return read
}

func readMeta(m *mcp.Meta) map[string]any {
	if m == nil {
		return nil
	}
	return m.AdditionalFields
}
