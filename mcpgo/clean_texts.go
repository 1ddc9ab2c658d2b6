package mcpgo

import (
	"bytes"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
)

// CleanTexts cleans the texts of a tool that others wrote of what Build
// refuses: characters that hide text, reorder it or control a terminal. It
// returns the tool for [Wrap], and how many texts changed. Log that number,
// because a tool with such texts deserves a look.
//
// It cleans the titles and the description of the tool, and in its schemas
// title, description, $comment and examples, as [trust.Sanitize] does. It also
// cleans texts under keywords that JSON Schema does not have, such as
// markdownDescription, and in objects and lists there. Names, enum, const,
// default, and the texts of other keywords, such as pattern, stay as they are:
// the upstream compares values with them, so Build still refuses them. The tool
// that was passed does not change.
func CleanTexts(tool mcp.Tool) (cleaned mcp.Tool, texts int) {
	d, _ := native.Definition(tool) // Wrap reports a schema that cannot be read
	input, output := d.InputSchema, d.OutputSchema
	d, texts = d.CleanTexts()
	tool.Title, tool.Description, tool.Annotations.Title = d.Title, d.Description, d.Annotations.Title
	if !bytes.Equal(input, d.InputSchema) {
		tool.RawInputSchema, tool.InputSchema = d.InputSchema, mcp.ToolInputSchema{}
	}
	if !bytes.Equal(output, d.OutputSchema) {
		tool.RawOutputSchema, tool.OutputSchema = d.OutputSchema, mcp.ToolOutputSchema{}
	}
	return tool, texts
}
