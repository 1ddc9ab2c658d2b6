package schema

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// UncheckedKeyword is the annotation that publishes a pattern that nothing
// checks.
const UncheckedKeyword = "x-uncheckedPattern"

// Uncheck returns a schema in which each pattern that is not RE2 is only an
// annotation, [UncheckedKeyword], and the number of these patterns. It keeps a
// pattern below a keyword with which an unchecked pattern could refuse values
// that the schema accepts, such as not, and the names of patternProperties.
func Uncheck(raw json.RawMessage) (unchecked json.RawMessage, patterns int) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return raw, 0 // Compile reports it
	}
	document := jsonschema.Of(tree)
	kept := map[*jsonschema.Node]bool{}
	for _, n := range document.All {
		for e := range n.Edges() {
			if mayRefuseMore(e.Keyword) {
				keepBelow(e.To, kept)
			}
		}
	}
	change := func(at, _ string, keywords []Property) ([]Property, map[string]string) {
		n := document.At(at)
		pattern, _ := n.Value("pattern").(string)
		if _, err := jsonschema.Regexp(pattern); err == nil || kept[n] {
			return keywords, nil
		}
		for i := range keywords {
			if keywords[i].Name == "pattern" {
				keywords[i].Name = UncheckedKeyword
				patterns++
			}
		}
		return keywords, nil
	}
	if unchecked, err = (rewriter{change}).schema("", "", raw); err != nil {
		return raw, 0
	}
	return unchecked, patterns
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

func keepBelow(n *jsonschema.Node, kept map[*jsonschema.Node]bool) {
	if kept[n] {
		return
	}
	kept[n] = true
	for e := range n.Edges() {
		keepBelow(e.To, kept)
	}
}
