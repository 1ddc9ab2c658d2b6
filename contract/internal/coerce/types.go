package coerce

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// types are the JSON types that schemas accept. Nil: they name none, and so may
// accept all.
type types []string

func (t types) has(name string) bool { return slices.Contains(t, name) }

// accepts reports whether a value has one of the types.
func (t types) accepts(v any) bool {
	if t == nil {
		return true
	}
	switch v.(type) {
	case nil:
		return t.has("null")
	case bool:
		return t.has("boolean")
	case string:
		return t.has("string")
	case int64, uint64:
		return t.has("integer") || t.has("number")
	case float64:
		return t.has("number")
	case []any:
		return t.has("array")
	case map[string]any:
		return t.has("object")
	}
	return true
}

// typesOf returns the types that all of the schemas accept.
func (r *Reader) typesOf(schemas []*jsonschema.Node) types {
	var accepted types
	for _, n := range schemas {
		accepted = accepted.and(r.types[n])
	}
	return accepted
}

// typesOfOne returns the types of a schema: those of its own type keyword, of
// what it refers to, and of every branch of its unions. above are the schemas
// on the way to it.
func typesOfOne(n *jsonschema.Node, above []*jsonschema.Node) types {
	if slices.Contains(above, n) {
		return nil
	}
	above = append(slices.Clip(above), n)
	accepted := named(n.Value("type"))
	unions := map[string]types{}
	for e := range n.Edges() {
		switch e.Keyword {
		case "$ref", "allOf":
			accepted = accepted.and(typesOfOne(e.To, above))
		case "anyOf", "oneOf":
			branch := typesOfOne(e.To, above)
			if union, seen := unions[e.Keyword]; seen && (union == nil || branch == nil) {
				branch = nil // a branch without a type accepts all
			} else {
				branch = slices.Concat(union, branch)
			}
			unions[e.Keyword] = branch
		}
	}
	return accepted.and(unions["anyOf"]).and(unions["oneOf"])
}

// and returns the types that both accept. A whole number is a number.
func (t types) and(other types) types {
	switch {
	case t == nil:
		return other
	case other == nil:
		return t
	}
	both := types{}
	for _, name := range t {
		switch {
		case other.has(name), name == "integer" && other.has("number"):
			both = append(both, name)
		case name == "number" && other.has("integer"):
			both = append(both, "integer")
		}
	}
	return both
}

// named returns the types of a type keyword.
func named(keyword any) types {
	switch list := keyword.(type) {
	case string:
		return types{list}
	case []any:
		all := types{}
		for _, name := range list {
			text, _ := name.(string)
			all = append(all, text)
		}
		return all
	}
	return nil
}
