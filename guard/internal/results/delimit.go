package results

import (
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/trust"
)

// delimits reports whether the contract delimits texts of this kind:
// [trust.DelimitText] or [trust.DelimitAll].
func (t Writer) delimits(kind trust.Delimiting) bool { return t.Delimiting() >= kind }

// Delimiting returns how the contract delimits texts.
func (t Writer) Delimiting() trust.Delimiting {
	return t.Doc.Delimit.Effective(t.Doc.ContentTrust)
}

// delimit marks plain text that may try to persuade a model.
func (t Writer) delimit(plain string) string {
	if t.delimits(trust.DelimitText) {
		return trust.Delimit(plain)
	}
	return plain
}

// DelimitStructured returns the text of structured content.
func (t Writer) DelimitStructured(structured []byte) string {
	if t.delimits(trust.DelimitAll) {
		return trust.Delimit(string(structured))
	}
	return string(structured)
}

// delimiter returns the function that delimits the text of an item or of a
// resource. A text that is the JSON of structured stays as it is unless all
// texts are delimited, because clients parse it. This exception needs an output
// schema, because clients cannot rely on the JSON without one. Links stay too,
// because their short texts have no room for a delimiter.
func (t Writer) delimiter(structured []byte) func(*item) {
	if !t.delimits(trust.DelimitText) {
		return func(*item) {}
	}
	isStructured := func(string) bool { return false }
	if t.Half.Facts().Output == bound.Structured && !t.delimits(trust.DelimitAll) {
		isStructured = equalJSON(structured)
	}
	return func(i *item) {
		switch {
		case i.kind == kindText && !isStructured(i.Text), i.kind == kindResource && i.Data == nil && i.Text != "":
			i.Text = trust.Delimit(i.Text)
		}
	}
}
