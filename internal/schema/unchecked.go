package schema

import (
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// UncheckedKeyword is the annotation that publishes a pattern nothing checks.
const UncheckedKeyword = "x-uncheckedPattern"

// Uncheck returns a schema in which each pattern that isn't RE2 becomes an
// annotation, [UncheckedKeyword], and the number of such patterns. It keeps the
// names of patternProperties, and patterns below a keyword such as not, where
// leaving a pattern unchecked could refuse values the schema accepts.
func Uncheck(text *tree.Text) (unchecked *tree.Text, patterns int) {
	document, err := text.Document()
	if err != nil {
		return text, 0 // Compile will report it
	}
	kept := map[*tree.Node]bool{}
	for _, n := range document.All {
		for e := range n.Edges() {
			if mayRefuseMore(e.Keyword) {
				keepBelow(e.To, kept)
			}
		}
	}
	written, err := document.Rewrite(func(n *tree.Node, written []tree.Keyword) []tree.Keyword {
		if _, err := tree.Regexp(n.Text("pattern")); err == nil || kept[n] {
			return written
		}
		for i := range written {
			if written[i].Name == "pattern" {
				written[i].Name = UncheckedKeyword
				patterns++
			}
		}
		return written
	})
	if err != nil || patterns == 0 {
		return text, 0
	}
	return tree.NewText(written), patterns
}

// mayRefuseMore reports whether a keyword may refuse a value because a schema
// below it accepts more.
func mayRefuseMore(keyword string) bool {
	switch keyword {
	case "not", "if", "oneOf", "contains", "unevaluatedProperties", "unevaluatedItems":
		return true
	}
	return false
}

func keepBelow(n *tree.Node, kept map[*tree.Node]bool) {
	if kept[n] {
		return
	}
	kept[n] = true
	for e := range n.Edges() {
		keepBelow(e.To, kept)
	}
}
