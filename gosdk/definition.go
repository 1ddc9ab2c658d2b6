package gosdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// wireTool returns the tool to register for an entry. replaced is the tool that
// the contract replaces, or nil; its icons and its foreign _meta are kept.
func wireTool(e *adapter.Entry, replaced *mcp.Tool) *mcp.Tool {
	d := e.Definition()
	t := &mcp.Tool{
		Meta: d.Meta, Name: e.Name(), Title: d.Title, Description: d.Description, InputSchema: d.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title: d.Annotations.Title, DestructiveHint: d.Annotations.DestructiveHint, OpenWorldHint: d.Annotations.OpenWorldHint,
			ReadOnlyHint: isTrue(d.Annotations.ReadOnlyHint), IdempotentHint: isTrue(d.Annotations.IdempotentHint),
		},
	}
	if d.OutputSchema != nil { // a nil json.RawMessage in an interface is not nil
		t.OutputSchema = d.OutputSchema
	}
	if replaced != nil {
		t.Icons = replaced.Icons
		t.Meta = e.MetaOver(replaced.Meta)
	}
	return t
}

func isTrue(b *bool) bool { return b != nil && *b }

// definitionOf reads the definition of a tool that was written for the SDK.
func definitionOf(t *mcp.Tool) (adapter.Definition, error) {
	d := adapter.Definition{Meta: t.Meta, Name: t.Name, Title: t.Title, Description: t.Description}
	if a := t.Annotations; a != nil {
		d.Annotations = adapter.ToolAnnotations{
			Title: a.Title, DestructiveHint: a.DestructiveHint, OpenWorldHint: a.OpenWorldHint,
			ReadOnlyHint: onlyTrue(a.ReadOnlyHint), IdempotentHint: onlyTrue(a.IdempotentHint),
		}
	}
	var err error
	if d.InputSchema, err = schemaOf("inputSchema", t.InputSchema); err != nil {
		return d, err
	}
	if d.InputSchema == nil {
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	d.OutputSchema, err = schemaOf("outputSchema", t.OutputSchema)
	return d, err
}

// onlyTrue returns nil for false, because the SDK cannot tell a false hint from
// an unset one.
func onlyTrue(b bool) *bool {
	if !b {
		return nil
	}
	return &b
}

// schemaOf returns a schema as JSON, or nil if there is none.
func schemaOf(where string, schema any) (json.RawMessage, error) {
	raw, err := json.Marshal(schema)
	if raw, ok := schema.(json.RawMessage); ok && len(raw) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Where: where, Message: fmt.Sprintf("the tool's schema cannot be used: %v", err),
			Remedy: "give a schema that is plain JSON",
		}
	}
	if string(raw) == "null" {
		return nil, nil
	}
	return raw, nil
}

// CleanTexts cleans the texts of a third-party tool. It removes the characters
// that Build refuses: those that hide text, reorder it or control a terminal;
// see [adapter.Definition.CleanTexts]. It returns a copy for [Wrap] and the
// number of texts that changed. Log that number, because a tool with such texts
// deserves a look. The tool passed in does not change.
func CleanTexts(tool *mcp.Tool) (cleaned *mcp.Tool, texts int) {
	if tool == nil {
		return nil, 0
	}
	copied := *tool
	d, err := definitionOf(tool)
	if err != nil {
		return &copied, 0 // Wrap reports a schema that cannot be read
	}
	d, texts = d.CleanTexts()
	if texts == 0 {
		return &copied, 0
	}
	copied.Title, copied.Description, copied.InputSchema = d.Title, d.Description, d.InputSchema
	if d.OutputSchema != nil {
		copied.OutputSchema = d.OutputSchema
	}
	if tool.Annotations != nil {
		annotations := *tool.Annotations
		annotations.Title = d.Annotations.Title
		copied.Annotations = &annotations
	}
	return &copied, texts
}

// Annotate publishes the known clauses of a tool and enforces nothing. Call it
// before the tool is added to a server. It is the first step of adoption;
// [Wrap] is the next. Annotate writes the clauses of base into _meta, under
// [contract.MetaKeyContract], and, if base declares the effect or a risk of at
// least critical, the four hints that follow from it; see [adapter.Annotate],
// also for its errors. After an error, tool is unchanged.
//
// Other members of _meta stay. Annotate replaces the Meta and the Annotations
// of tool and does not write to them, because they may be shared.
func Annotate(tool *mcp.Tool, base contract.Base) error {
	if tool == nil {
		return adapter.Annotate(nil, base)
	}
	d, err := definitionOf(tool)
	if err != nil {
		return err
	}
	if err := adapter.Annotate(&d, base); err != nil {
		return err
	}
	annotations := mcp.ToolAnnotations{}
	if tool.Annotations != nil {
		annotations = *tool.Annotations
	}
	annotations.ReadOnlyHint = isTrue(d.Annotations.ReadOnlyHint)
	annotations.IdempotentHint = isTrue(d.Annotations.IdempotentHint)
	annotations.DestructiveHint, annotations.OpenWorldHint = d.Annotations.DestructiveHint, d.Annotations.OpenWorldHint
	if tool.Annotations != nil || annotations != (mcp.ToolAnnotations{}) {
		tool.Annotations = &annotations
	}
	tool.Meta = maps.Clone(mcp.Meta(d.Meta))
	return nil
}

// checkHeaders refuses a tool that requires permissions and has x-mcp-header in
// its input schema. The SDK compares the headers of a call before its
// middleware (mcp/streamable.go:1618), so its answer would reveal that a hidden
// tool exists.
func checkHeaders(doc contract.Document) error {
	if !doc.NeedsPrincipal() || !hasHeaders(doc.InputSchema) {
		return nil
	}
	return headerError(doc.Name)
}

func headerError(tool string) error {
	return &contract.DeclarationError{
		Rule: "serve.header", Tool: tool, Where: "inputSchema",
		Message: "x-mcp-header would show the tool to callers who may not see it",
		Remedy:  "remove x-mcp-header, or let everybody call the tool",
	}
}

// dropHeaders removes x-mcp-header from a tool that stays registered, if its
// contract does not list it; see [WrapAll]. Otherwise the SDK would still
// expect the headers. e is nil for a tool that is not listed. No server may be
// serving the tool yet.
func dropHeaders(e *adapter.Entry, tool *mcp.Tool) {
	if dropsHeaders(e, tool) {
		tool.InputSchema = e.Definition().InputSchema
	}
}

func dropsHeaders(e *adapter.Entry, tool *mcp.Tool) bool {
	if e == nil || hasHeaders(e.Definition().InputSchema) {
		return false
	}
	written, err := schemaOf("inputSchema", tool.InputSchema)
	return err == nil && hasHeaders(written)
}

// hasHeaders looks where the SDK looks: in properties, at any depth.
func hasHeaders(schema json.RawMessage) bool {
	// encoding/json ignores the case of a name, and a name can be escaped.
	if !bytes.Contains(schema, []byte(`\u`)) && !bytes.Contains(bytes.ToLower(schema), []byte("x-mcp-header")) {
		return false
	}
	var node struct {
		Header     json.RawMessage            `json:"x-mcp-header"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &node) != nil {
		return false
	}
	if node.Header != nil {
		return true
	}
	for _, property := range node.Properties {
		if hasHeaders(property) {
			return true
		}
	}
	return false
}
