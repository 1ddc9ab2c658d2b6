package defaults

import (
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// isMemberwise reports whether every schema of a document decides about each
// member and each item by itself. If such a schema accepts a value, it still
// accepts the value with its defaults, unless the schema of a defaulted member
// refuses the default. So the defaults can be checked without sample objects.
func isMemberwise(document *tree.Document) bool {
	for _, n := range document.All {
		for keyword := range n.Keywords() {
			if !isMemberwiseKeyword(n, keyword) {
				return false
			}
		}
	}
	return true
}

func isMemberwiseKeyword(n *tree.Node, keyword string) bool {
	switch keyword {
	case "type", "properties", "required", "additionalProperties", "minProperties", "items", "minItems", "maxItems",
		"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return true
	case "enum", "const": // nothing is filled into the values of such a schema
		return !n.Has("properties") && !n.Has("additionalProperties") && !n.Has("items")
	case "$ref", "anyOf":
		return onward(n) != nil && n.OnlyAnnotates(keyword)
	default:
		return tree.Annotates(keyword)
	}
}
