package mcpgo

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

var (
	errTwoResults  = errors.New("mcpgo: StructuredContent and RawStructuredContent differ")
	errContentType = errors.New("mcpgo: an item of the content is nil, or of a type that no tool result has")
)

// errorText is what a result with isError says in its text items.
func errorText(r *mcp.CallToolResult) string {
	var texts []string
	for _, item := range r.Content {
		c, err := readContent(item)
		if t, ok := c.(contract.TextContent); ok && err == nil {
			texts = append(texts, t.Text)
		}
	}
	if len(texts) == 0 {
		return "the tool gave no reason"
	}
	return strings.Join(texts, "\n")
}

// reply reads a result as the contract's.
func (w *wrapped) reply(r *mcp.CallToolResult) (contract.Reply[json.RawMessage], error) {
	var reply contract.Reply[json.RawMessage]
	structured, err := structuredContent(r)
	if err != nil {
		return reply, err
	}
	hasText := false
	for _, item := range r.Content {
		c, err := readContent(item)
		if err != nil {
			return reply, err
		}
		if _, ok := c.(contract.TextContent); ok {
			hasText = true
		}
		reply.Content = append(reply.Content, c)
	}
	switch {
	case w.structured:
		reply.Out = structured
	case structured != nil && !hasText:
		reply.Content = append([]contract.Content{contract.TextContent{Text: string(structured)}}, reply.Content...)
	}
	if r.Meta != nil {
		reply.Meta = r.Meta.AdditionalFields
	}
	return reply, nil
}

// structuredContent returns nil for none. mcp-go writes the raw form where both
// are there, so they must say the same.
func structuredContent(r *mcp.CallToolResult) (json.RawMessage, error) {
	if r.StructuredContent == nil {
		return r.RawStructuredContent, nil
	}
	written, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: structured content: %w", err)
	}
	if len(r.RawStructuredContent) == 0 {
		return written, nil
	}
	// Compared as mcp-go decodes them, which is how both come from one message:
	// integers of more than 53 bits are rounded in one alone.
	var raw, decoded any
	if err := errors.Join(json.Unmarshal(r.RawStructuredContent, &raw), json.Unmarshal(written, &decoded)); err != nil {
		return nil, fmt.Errorf("mcpgo: structured content: %w", err)
	}
	if !reflect.DeepEqual(raw, decoded) {
		return nil, errTwoResults
	}
	return r.RawStructuredContent, nil
}

// readContent reads an item of mcp-go's, also by pointer.
func readContent(item mcp.Content) (contract.Content, error) {
	if v := reflect.ValueOf(item); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, ok := reflect.TypeAssert[mcp.Content](v.Elem()); ok {
			item = elem
		}
	}
	switch c := item.(type) {
	case mcp.TextContent:
		return contract.TextContent{Text: c.Text, Annotations: annotations(c.Annotated), Meta: readMeta(c.Meta)}, nil
	case mcp.ImageContent:
		data, err := decode(c.Data)
		return contract.ImageContent{Data: data, MIMEType: c.MIMEType, Annotations: annotations(c.Annotated), Meta: readMeta(c.Meta)}, err
	case mcp.AudioContent:
		data, err := decode(c.Data)
		return contract.AudioContent{Data: data, MIMEType: c.MIMEType, Annotations: annotations(c.Annotated), Meta: readMeta(c.Meta)}, err
	case mcp.ResourceLink:
		return contract.LinkContent{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Annotations: annotations(c.Annotated), Meta: readMeta(c.Meta),
		}, nil
	case mcp.EmbeddedResource:
		return readResource(c)
	}
	return nil, errContentType
}

func readResource(e mcp.EmbeddedResource) (contract.Content, error) {
	resource := contract.ResourceContent{Annotations: annotations(e.Annotated), Meta: readMeta(e.Meta)}
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
		resource.Blob, err = decode(r.Blob)
	default:
		err = errContentType
	}
	return resource, err
}

// decode never returns nil bytes: an empty blob is one.
func decode(data string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: content: %w", err)
	}
	return append([]byte{}, raw...), nil
}

func annotations(a mcp.Annotated) contract.Annotations {
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
