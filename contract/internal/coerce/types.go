package coerce

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// typesOf returns the types that all of the schemas accept. ok is false if they
// name none, and so may accept all.
func (r *Reader) typesOf(schemas []*jsonschema.Node) accepted {
	all := anything
	for _, n := range schemas {
		all = all.and(r.types[n.Index()])
	}
	return all
}

// accepted are the JSON types that schemas accept.
type accepted struct {
	jsonschema.Types

	named bool // false: no keyword names a type
}

var anything = accepted{Types: jsonschema.AnyType}

// and returns the types that both accept.
func (a accepted) and(other accepted) accepted {
	return accepted{a.Types & other.Types, a.named || other.named}
}

// has reports whether one of some types is named.
func (a accepted) has(types jsonschema.Types) bool { return a.named && a.Types&types != 0 }

// typesOfOne returns the types of a schema: those of its own type keyword, of
// what it refers to, and of every branch of its unions. above are the schemas
// on the way to it.
func typesOfOne(n *jsonschema.Node, above []*jsonschema.Node) accepted {
	if slices.Contains(above, n) {
		return anything
	}
	above = append(slices.Clip(above), n)
	own := anything
	if types, ok := n.Types(); ok {
		own = accepted{types, true}
	}
	for e := range n.Edges() {
		if e.Keyword == "$ref" || e.Keyword == "allOf" {
			own = own.and(typesOfOne(e.To, above))
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		own = own.and(typesOfUnion(n.Below(keyword), above))
	}
	return own
}

// typesOfUnion returns the types of all branches. A branch that names none
// accepts all.
func typesOfUnion(branches, above []*jsonschema.Node) accepted {
	if len(branches) == 0 {
		return anything
	}
	all := accepted{named: true}
	for _, branch := range branches {
		of := typesOfOne(branch, above)
		all.Types |= of.Types
		all.named = all.named && of.named
	}
	if !all.named {
		return anything
	}
	return all
}
