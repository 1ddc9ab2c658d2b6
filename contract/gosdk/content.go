package gosdk

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

// An exactContent is an item of which the SDK's own type would lose a member:
// an empty text of a resource (mcp/content.go:305), the priority 0
// (mcp/protocol.go:215), an empty description or mimeType of a link.
type exactContent struct {
	mcp.Content

	block adapter.ContentBlock
}

// MarshalJSON writes all members.
func (c exactContent) MarshalJSON() ([]byte, error) { return json.Marshal(c.block) }

// wireContent returns an item of an answer as the SDK's. It uses the SDK's own
// type if that loses no member, because middleware of the server author may
// expect it.
func wireContent(b adapter.ContentBlock) (mcp.Content, error) {
	var item mcp.Content
	annotations, exact := wireAnnotations(b.Annotations)
	switch b.Type {
	case "text":
		item = &mcp.TextContent{Text: b.Text, Meta: b.Meta, Annotations: annotations}
	case "image", "audio":
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return nil, fmt.Errorf("gosdk: content: %w", err)
		}
		if b.Type == "image" {
			item = &mcp.ImageContent{Data: data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: annotations}
		} else {
			item = &mcp.AudioContent{Data: data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: annotations}
		}
	case "resource_link":
		exact = exact && b.Description != "" && b.MIMEType != ""
		item = &mcp.ResourceLink{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType, Size: b.Size,
			Meta: b.Meta, Annotations: annotations,
		}
	default:
		resource := &mcp.ResourceContents{}
		if r := b.Resource; r != nil {
			exact = exact && (r.Blob != nil || r.Text != "")
			*resource = mcp.ResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, Meta: r.Meta}
			if r.Blob != nil {
				blob, err := base64.StdEncoding.DecodeString(*r.Blob)
				if err != nil {
					return nil, fmt.Errorf("gosdk: content: %w", err)
				}
				resource.Blob = append([]byte{}, blob...) // an empty blob is a blob
			}
		}
		item = &mcp.EmbeddedResource{Resource: resource, Meta: b.Meta, Annotations: annotations}
	}
	if exact {
		return item, nil
	}
	return exactContent{item, b}, nil
}

// wireAnnotations reports false if the SDK cannot write the annotations.
func wireAnnotations(a *adapter.ContentAnnotations) (*mcp.Annotations, bool) {
	if a == nil {
		return nil, true
	}
	w := &mcp.Annotations{LastModified: a.LastModified}
	for _, role := range a.Audience {
		w.Audience = append(w.Audience, mcp.Role(role))
	}
	if a.Priority != nil {
		w.Priority = *a.Priority
	}
	return w, a.Priority == nil || *a.Priority != 0
}

// readContent reads an item that a handler for the SDK returned, by its JSON.
func readContent(item mcp.Content) (adapter.ContentBlock, error) {
	var block adapter.ContentBlock
	raw, err := json.Marshal(item)
	if err != nil {
		return block, fmt.Errorf("gosdk: content: %w", err)
	}
	if err := json.Unmarshal(raw, &block); err != nil {
		return block, fmt.Errorf("gosdk: content: %w", err)
	}
	return block, nil
}
