package mcpgo

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
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
// [contract.Base.Document]. A tool whose own readOnlyHint is true while
// base declares a write is an error (rule annotate.contradiction). A tool whose
// title or description has hidden characters is an error too (text.form);
// [CleanTexts] removes them. Forbidden risk is an error (annotate.forbidden),
// because such a tool is not served at all. The error joins a
// [contract.DeclarationError] for everything that is wrong, and then tool is
// unchanged.
//
// Other members of _meta stay. Annotate replaces the Meta of tool and does not
// write to it, because it may be shared.
func Annotate(tool *mcp.Tool, base contract.Base) error {
	if tool == nil {
		return adapter.Annotate(nil, base)
	}
	d, _ := native.Definition(*tool) // the schemas do not matter
	if err := adapter.Annotate(&d, base); err != nil {
		return err
	}
	meta := &mcp.Meta{AdditionalFields: d.Meta}
	if tool.Meta != nil {
		meta.ProgressToken = tool.Meta.ProgressToken
	}
	tool.Meta = meta
	tool.Annotations = mcp.ToolAnnotation(d.Annotations)
	return nil
}
