package mcpgo

import (
	"encoding/json"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// Annotate writes what base says into a tool of mcp-go's, before it is
// registered: the contract into _meta, under [contract.MetaKeyContract], and,
// where base says the effect or a risk from critical up, the four hints that
// follow from it. Nothing is enforced; it is the first step of adoption, and
// [Wrap] the next. Who reads the contract knows it by what is not there: failure
// modes of the guard's, which every contract that is kept lists.
//
// What base says is checked, what is missing is not; see
// [contract.BaseBuilder.Document]. A tool whose own readOnlyHint is true while
// base says a write is an error (rule annotate.contradiction), so is forbidden
// risk (annotate.forbidden): such a tool is not served at all. The error joins a
// [contract.DeclarationError] for everything that is wrong, and then tool is as
// it was.
//
// Other members of _meta stay. tool's own Meta is not written to: it may be
// shared.
func Annotate(tool *mcp.Tool, base *contract.BaseBuilder) error {
	if tool == nil || base == nil {
		return &contract.DeclarationError{Rule: "annotate.nil", Message: "the tool or the base is nil", Remedy: "pass a tool and a contract.Base()"}
	}
	doc, err := base.Document(tool.Name)
	if err != nil {
		return err
	}
	if isForbidden(doc) {
		return &contract.DeclarationError{Rule: "annotate.forbidden", Tool: tool.Name, Clause: "risk", Message: "a forbidden tool is not served at all", Remedy: "do not register it"}
	}
	hints := doc.Hints()
	if own := tool.Annotations.ReadOnlyHint; !doc.Effect.IsZero() && own != nil && *own && !hints.ReadOnly {
		return &contract.DeclarationError{
			Rule: "annotate.contradiction", Tool: tool.Name, Clause: "effect",
			Message: "effect " + doc.Effect.String() + " contradicts the tool's readOnlyHint", Remedy: "correct one of them",
		}
	}
	if doc.Title == "" {
		doc.Title = toolTitle(*tool)
	}
	if doc.Description == "" {
		doc.Description = tool.Description
	}
	shown, err := shownContract(doc, Full)
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

func setContract(tool *mcp.Tool, shown json.RawMessage) {
	meta := &mcp.Meta{AdditionalFields: map[string]any{}}
	if tool.Meta != nil {
		meta.ProgressToken = tool.Meta.ProgressToken
		maps.Copy(meta.AdditionalFields, tool.Meta.AdditionalFields)
	}
	meta.AdditionalFields[contract.MetaKeyContract] = shown
	tool.Meta = meta
}
