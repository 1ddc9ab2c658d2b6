package results

import (
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/trust"
)

// delimits reports whether the contract delimits texts of this kind:
// [trust.DelimitText] or [trust.DelimitAll].
func delimits(t *facts.ProtectedTool, kind trust.Delimiting) bool { return t.Delimiting() >= kind }

// delimit marks plain text that may try to persuade a model.
func delimit(t *facts.ProtectedTool, plain string) string {
	if delimits(t, trust.DelimitText) {
		return trust.Delimit(plain)
	}
	return plain
}

// DelimitStructured returns the text of structured content.
func DelimitStructured(t *facts.ProtectedTool, structured []byte) string {
	if delimits(t, trust.DelimitAll) {
		return trust.Delimit(string(structured))
	}
	return string(structured)
}

// delimiter returns the function that delimits the text of an item or a
// resource. A text that is the JSON of structured stays as it is unless all
// texts are delimited, because clients parse it. Only an output schema lets
// clients rely on that JSON, so without one the text is delimited. Links are
// left alone: their short texts have no room for a delimiter.
func delimiter(t *facts.ProtectedTool, structured []byte) func(*item) {
	if !delimits(t, trust.DelimitText) {
		return func(*item) {}
	}
	isStructured := func(string) bool { return false }
	if t.Impl.Facts().Output == bound.Structured && !delimits(t, trust.DelimitAll) {
		isStructured = equalJSON(structured)
	}
	return func(i *item) {
		switch {
		case i.kind == kindText && !isStructured(i.Text), i.kind == kindResource && i.Data == nil && i.Text != "":
			i.Text = trust.Delimit(i.Text)
		}
	}
}
