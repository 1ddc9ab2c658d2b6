package gosdk

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// An exactContent is an item that the SDK's own type would write without a
// member: an empty text of a resource (mcp/content.go:305), the priority 0
// (mcp/protocol.go:215), an empty description or mimeType of a link.
type exactContent struct {
	mcp.Content

	item contract.Content
}

// MarshalJSON writes all members.
func (c exactContent) MarshalJSON() ([]byte, error) { return adapter.MarshalContent(c.item) }

// wireContent returns an item of an answer for the SDK. It uses the SDK's own
// type if that loses no member, because the server author's middleware may
// expect it.
func wireContent(item contract.Content) mcp.Content {
	var wire mcp.Content
	exact := true
	switch c := item.(type) {
	case contract.TextContent:
		exact = isWritable(c.Annotations)
		wire = &mcp.TextContent{Text: c.Text, Meta: c.Meta, Annotations: wireAnnotations(c.Annotations)}
	case contract.ImageContent:
		exact = isWritable(c.Annotations)
		wire = &mcp.ImageContent{Data: c.Data, MIMEType: c.MIMEType, Meta: c.Meta, Annotations: wireAnnotations(c.Annotations)}
	case contract.AudioContent:
		exact = isWritable(c.Annotations)
		wire = &mcp.AudioContent{Data: c.Data, MIMEType: c.MIMEType, Meta: c.Meta, Annotations: wireAnnotations(c.Annotations)}
	case contract.LinkContent:
		exact = isWritable(c.Annotations) && c.Description != "" && c.MIMEType != ""
		wire = &mcp.ResourceLink{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Meta: c.Meta, Annotations: wireAnnotations(c.Annotations),
		}
	case contract.ResourceContent:
		exact = isWritable(c.Annotations) && (c.Blob != nil || c.Text != "")
		resource := &mcp.ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Meta: c.ResourceMeta}
		if c.Blob != nil { // an empty blob is a blob
			resource.Text, resource.Blob = "", c.Blob
		}
		wire = &mcp.EmbeddedResource{Resource: resource, Meta: c.Meta, Annotations: wireAnnotations(c.Annotations)}
	}
	if exact {
		return wire
	}
	return exactContent{wire, item}
}

// isWritable reports whether the SDK would write all members of the
// annotations.
func isWritable(a contract.Annotations) bool { return a.Priority == nil || *a.Priority != 0 }

func wireAnnotations(a contract.Annotations) *mcp.Annotations {
	if len(a.Audience) == 0 && a.Priority == nil && a.LastModified.IsZero() {
		return nil
	}
	w := &mcp.Annotations{}
	for _, role := range a.Audience {
		w.Audience = append(w.Audience, mcp.Role(role))
	}
	if a.Priority != nil {
		w.Priority = *a.Priority
	}
	if !a.LastModified.IsZero() {
		w.LastModified = a.LastModified.Format(time.RFC3339Nano)
	}
	return w
}

// readContent reads an item that an SDK handler returned, by its JSON.
func readContent(item mcp.Content) (contract.Content, error) {
	raw, err := json.Marshal(item)
	if err != nil {
		return nil, fmt.Errorf("gosdk: content: %w", err)
	}
	return adapter.UnmarshalContent(raw)
}
