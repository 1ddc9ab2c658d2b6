package defaults

import (
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// isMemberwise reports whether every schema of a document decides about each
// member and each item by itself. If such a schema accepts a value, it still
// accepts the value with its defaults, unless the schema of a defaulted member
// refuses the default. So the defaults can be checked without sample objects.
func isMemberwise(document *jsonschema.Document) bool {
	for _, n := range document.All {
		for keyword := range n.Keywords() {
			if !isMemberwiseKeyword(n, keyword) {
				return false
			}
		}
	}
	return true
}

func isMemberwiseKeyword(n *jsonschema.Node, keyword string) bool {
	switch keyword {
	case "type", "properties", "required", "additionalProperties", "minProperties", "items", "minItems", "maxItems",
		"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return true
	case "enum", "const": // nothing is filled into the values of such a schema
		return n.Value("properties") == nil && n.Value("additionalProperties") == nil && n.Value("items") == nil
	case "$ref", "anyOf":
		return onward(n) != nil && onlyAnnotates(n, keyword)
	default:
		return isAnnotation(keyword)
	}
}

// onlyAnnotates reports whether a schema demands nothing beside one keyword.
func onlyAnnotates(n *jsonschema.Node, but string) bool {
	for keyword := range n.Keywords() {
		if keyword != but && !isAnnotation(keyword) {
			return false
		}
	}
	return true
}

// isAnnotation reports whether a keyword demands nothing. The keywords of this
// project demand something.
func isAnnotation(keyword string) bool {
	switch keyword {
	case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$defs", "definitions":
		return true
	}
	return strings.HasPrefix(keyword, "x-") && !strings.HasPrefix(keyword, "x-toolcontract-")
}
