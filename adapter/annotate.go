package adapter

import (
	"maps"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/listing"
)

// Annotate publishes the known clauses of a tool and enforces nothing. It
// writes the clauses of base into the Meta of d, under
// [contract.MetaKeyContract]. If base declares the effect or a risk of at least
// critical, it also sets the four hints that follow from it. Readers can tell
// such a contract from an enforced one, because it lacks the guard's failure
// modes.
//
// Annotate checks the declared clauses and does not ask for missing ones; see
// [contract.Base.Document]. A tool whose own readOnlyHint is true while base
// declares a write is an error (rule annotate.contradiction). A tool whose
// title or description has hidden characters is an error too (text.form);
// [Definition.CleanTexts] removes them. Forbidden risk is an error
// (annotate.forbidden), because such a tool is not served at all. The error
// joins a [contract.DeclarationError] for each mistake, and then d is
// unchanged.
//
// Other members of the Meta stay. Annotate replaces the map and does not write
// to it, because it may be shared.
func Annotate(d *Definition, base contract.Base) error {
	if d == nil {
		return &contract.DeclarationError{Rule: "annotate.nil", Message: "the tool is nil", Remedy: "pass a tool"}
	}
	doc, err := base.Document(d.Name)
	if err != nil {
		return err
	}
	if isForbidden(doc) {
		return &contract.DeclarationError{Rule: "annotate.forbidden", Tool: d.Name, Where: "risk",
			Message: "a forbidden tool is not served at all", Remedy: "do not register it"}
	}
	hints := doc.Hints()
	if own := d.Annotations.ReadOnlyHint; doc.Effect != 0 && own != nil && *own && !hints.ReadOnly {
		return &contract.DeclarationError{
			Rule: "annotate.contradiction", Tool: d.Name, Where: "effect",
			Message: "effect " + doc.Effect.String() + " contradicts the tool's readOnlyHint", Remedy: "correct one of them",
		}
	}
	if doc.Title == "" {
		doc.Title = d.title()
	}
	if doc.Description == "" {
		doc.Description = d.Description
	}
	if err := checkTexts(d.Name, doc.Title, doc.Description); err != nil {
		return err
	}
	metadata, err := listing.Contract(doc, contract.TierFull, contract.Dotted)
	if err != nil {
		return err
	}
	meta := maps.Clone(d.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[contract.MetaKeyContract] = metadata
	d.Meta = meta
	if doc.Effect != 0 {
		d.Annotations.setHints(hints)
	}
	return nil
}
