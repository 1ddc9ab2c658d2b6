package mcpgo

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Annotate publishes the known clauses of a tool, before the tool is registered
// with mcp-go, and enforces nothing. It is the first step of adoption; [Wrap]
// is the next. Annotate writes the clauses of base into _meta, under
// [contract.MetaKeyContract], and, if base declares the effect or a risk of at
// least critical, the four hints that follow from it. Readers can distinguish
// such a contract from an enforced one, because it lacks the failure modes of
// the guard.
//
// Declared clauses are checked and missing ones are not; see
// [contract.BaseBuilder.Document]. A tool whose own readOnlyHint is true while
// base declares a write is an error (rule annotate.contradiction). So is a tool
// whose title or description has hidden characters (text.form); [CleanTexts]
// removes them. Forbidden
// risk is an error too (annotate.forbidden), because such a tool is not served
// at all. The error joins a [contract.DeclarationError] for everything that is
// wrong, and then tool is unchanged.
//
// Other members of _meta stay. Annotate replaces the Meta of tool and does not
// write to it, because it may be shared.
func Annotate(tool *mcp.Tool, base *contract.BaseBuilder) error {
	if tool == nil || base == nil {
		return &contract.DeclarationError{Rule: "annotate.nil", Message: "the tool or the base is nil", Remedy: "pass a tool and a contract.Base()"}
	}
	doc, err := base.Document(tool.Name)
	if err != nil {
		return err
	}
	if isForbidden(doc) {
		return &contract.DeclarationError{Rule: "annotate.forbidden", Tool: tool.Name, Where: "risk", Message: "a forbidden tool is not served at all", Remedy: "do not register it"}
	}
	hints := doc.Hints()
	if own := tool.Annotations.ReadOnlyHint; !doc.Effect.IsZero() && own != nil && *own && !hints.ReadOnly {
		return &contract.DeclarationError{
			Rule: "annotate.contradiction", Tool: tool.Name, Where: "effect",
			Message: "effect " + doc.Effect.String() + " contradicts the tool's readOnlyHint", Remedy: "correct one of them",
		}
	}
	if doc.Title == "" {
		doc.Title = toolTitle(*tool)
	}
	if doc.Description == "" {
		doc.Description = tool.Description
	}
	if err := errors.Join(checkShown(tool.Name, "title", doc.Title), checkShown(tool.Name, "description", doc.Description)); err != nil {
		return err
	}
	shown, err := shownContract(doc, Full, Dotted)
	if err != nil {
		return err
	}
	setContract(tool, shown)
	if doc.Effect != risk.UndeclaredEffect {
		tool.Annotations.ReadOnlyHint, tool.Annotations.DestructiveHint = &hints.ReadOnly, &hints.Destructive
		tool.Annotations.IdempotentHint, tool.Annotations.OpenWorldHint = &hints.Idempotent, &hints.OpenWorld
	}
	return nil
}

// checkShown returns an error for a text with hidden characters.
func checkShown(tool, where, text string) error {
	if _, hidden := trust.Sanitize(text); hidden == 0 {
		return nil
	}
	return &contract.DeclarationError{
		Rule: "text.form", Tool: tool, Where: where,
		Message: "the text has characters that hide, reorder it or drive a terminal", Remedy: "clean the tool with mcpgo.CleanTexts",
	}
}

func setContract(tool *mcp.Tool, shown json.RawMessage) {
	meta := &mcp.Meta{AdditionalFields: map[string]any{}}
	if tool.Meta != nil {
		meta.ProgressToken = tool.Meta.ProgressToken
		maps.Copy(meta.AdditionalFields, tool.Meta.AdditionalFields)
	}
	meta.AdditionalFields[contract.MetaKeyContract] = shown
	tool.Meta = meta
}
