package mcpgo

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/trust"
)

// CleanTexts removes from the texts of a tool that others wrote what Build
// refuses: characters that hide text, reorder it or control a terminal. It
// returns the tool for [Wrap], and how many texts changed. A server author
// logs the number, because a tool with such texts deserves a look.
//
// It cleans the titles and the description of the tool, and in its schemas
// title, description, $comment and examples, as [trust.Sanitize] does. It also
// cleans texts under keywords that JSON Schema does not have, such as
// markdownDescription. Property names, enum, const, default, pattern and all
// other keywords stay as they are: the upstream compares values with them, so
// Build still refuses them. The tool that was passed does not change.
func CleanTexts(tool mcp.Tool) (cleaned mcp.Tool, texts int) {
	for _, text := range []*string{&tool.Title, &tool.Annotations.Title, &tool.Description} {
		if clean, removed := trust.Sanitize(*text); removed > 0 {
			*text = clean
			texts++
		}
	}
	// Wrap reports a schema that cannot be read.
	if raw, err := inputSchema(tool); err == nil {
		if clean, changed := schema.CleanTexts(raw); changed > 0 {
			tool.RawInputSchema, tool.InputSchema = clean, mcp.ToolInputSchema{}
			texts += changed
		}
	}
	if raw, err := outputSchema(tool); err == nil {
		if clean, changed := schema.CleanTexts(raw); changed > 0 {
			tool.RawOutputSchema, tool.OutputSchema = clean, mcp.ToolOutputSchema{}
			texts += changed
		}
	}
	return tool, texts
}
