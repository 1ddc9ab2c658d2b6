package mcpgo

import (
	"encoding/base64"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// wireContent writes an item of a checked result as mcp-go's.
func wireContent(item contract.Content) mcp.Content {
	switch c := item.(type) {
	case contract.TextContent:
		return mcp.TextContent{Annotated: annotated(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeText, Text: c.Text}
	case contract.ImageContent:
		return mcp.ImageContent{
			Annotated: annotated(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeImage,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.AudioContent:
		return mcp.AudioContent{
			Annotated: annotated(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeAudio,
			Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType,
		}
	case contract.LinkContent:
		return mcp.ResourceLink{
			Annotated: annotated(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeLink,
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
		}
	case contract.ResourceContent:
		var resource mcp.ResourceContents = mcp.TextResourceContents{Meta: c.ResourceMeta, URI: c.URI, MIMEType: c.MIMEType, Text: c.Text}
		if c.Blob != nil {
			resource = mcp.BlobResourceContents{Meta: c.ResourceMeta, URI: c.URI, MIMEType: c.MIMEType, Blob: base64.StdEncoding.EncodeToString(c.Blob)}
		}
		return mcp.EmbeddedResource{Annotated: annotated(c.Annotations), Meta: wireMeta(c.Meta), Type: mcp.ContentTypeResource, Resource: resource}
	}
	return nil // the guard lets nothing else through
}

func annotated(a contract.Annotations) mcp.Annotated {
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

// wireMeta returns nil for nothing: mcp-go writes an empty Meta as {}.
func wireMeta(fields map[string]any) *mcp.Meta {
	if len(fields) == 0 {
		return nil
	}
	return &mcp.Meta{AdditionalFields: fields}
}
