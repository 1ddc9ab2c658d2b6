// Package native converts tools, arguments and results between the types of
// mcp-go and those of packages contract and adapter.
package native

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// Tool returns a definition as a tool of mcp-go. The schemas stay raw, because
// mcp-go's typed form drops keywords.
func Tool(d adapter.Definition) mcp.Tool {
	t := mcp.Tool{
		Name: d.Name, Title: d.Title, Description: d.Description, RawInputSchema: d.InputSchema, RawOutputSchema: d.OutputSchema,
		Annotations: mcp.ToolAnnotation(d.Annotations),
	}
	if len(d.Meta) > 0 {
		t.Meta = &mcp.Meta{AdditionalFields: d.Meta}
	}
	return t
}

// Definition returns a tool of mcp-go as a definition. It leaves out each
// schema that cannot be used, and returns an error for it.
func Definition(tool mcp.Tool) (adapter.Definition, []*contract.DeclarationError) {
	d := adapter.Definition{
		Name: tool.Name, Title: tool.Title, Description: tool.Description, Annotations: adapter.ToolAnnotations(tool.Annotations),
	}
	if tool.Meta != nil {
		d.Meta = tool.Meta.AdditionalFields
	}
	var mistakes []*contract.DeclarationError
	var err error
	if d.InputSchema, err = inputSchema(tool); err != nil {
		mistakes = append(mistakes, badSchema("inputSchema", err))
	}
	if d.OutputSchema, err = outputSchema(tool); err != nil {
		mistakes = append(mistakes, badSchema("outputSchema", err))
	}
	return d, mistakes
}

var errTwoSchemas = errors.New("it is set twice, raw and typed")

func inputSchema(tool mcp.Tool) (json.RawMessage, error) {
	if tool.RawInputSchema != nil {
		if tool.InputSchema.Type != "" {
			return nil, errTwoSchemas
		}
		return tool.RawInputSchema, nil
	}
	if tool.InputSchema.Type == "" {
		tool.InputSchema.Type = "object" // the protocol allows no other
	}
	return json.Marshal(tool.InputSchema)
}

// outputSchema returns nil if the tool has none.
func outputSchema(tool mcp.Tool) (json.RawMessage, error) {
	switch {
	case tool.RawOutputSchema != nil && tool.OutputSchema.Type != "":
		return nil, errTwoSchemas
	case tool.RawOutputSchema != nil:
		return tool.RawOutputSchema, nil
	case tool.OutputSchema.Type != "":
		return json.Marshal(tool.OutputSchema)
	}
	return nil, nil
}

func badSchema(where string, err error) *contract.DeclarationError {
	return &contract.DeclarationError{
		Rule: "serve.definition", Where: where, Message: fmt.Sprintf("the tool's schema cannot be used: %v", err),
		Remedy: "give one schema, as plain JSON",
	}
}
