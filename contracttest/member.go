package contracttest

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// readSchema reads a schema. It returns nil for a tool without one.
func readSchema(raw json.RawMessage) *tree.Document {
	document, err := tree.Read(raw)
	if err != nil {
		return nil
	}
	return document
}

// A member is the schema of one member of an object, at any depth.
type member struct {
	// path is the member's place, such as "inputSchema/properties/to".
	path string
	// schemas has the schema and those it refers to, nearest first.
	schemas []*tree.Node
}

// memberAt returns a schema's member. It stops at a circular reference: Build
// refuses those, but a snapshot can have them.
func memberAt(path string, n *tree.Node) member {
	m := member{path: path}
	for ; n != nil && !slices.Contains(m.schemas, n); n = n.Ref {
		m.schemas = append(m.schemas, n)
	}
	return m
}

// withKeyword returns the nearest of the member's schemas that has a keyword,
// or nil.
func (m member) withKeyword(keyword string) *tree.Node {
	i := slices.IndexFunc(m.schemas, func(n *tree.Node) bool { return n.Has(keyword) })
	if i < 0 {
		return nil
	}
	return m.schemas[i]
}

// has reports whether the member's schema has one of the keywords.
func (m member) has(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return m.withKeyword(k) != nil })
}

// child returns the schema in a keyword, or nil.
func (m member) child(keyword string) *tree.Node {
	if n := m.withKeyword(keyword); n != nil {
		return n.Child(keyword, "")
	}
	return nil
}

// members returns a clause's schema as a member itself, and the members that it
// names at any depth, in a fixed order. A tool without the schema has none.
func members(clause string, document *tree.Document) (root member, below []member) {
	if document == nil {
		return member{path: clause}, nil
	}
	return memberAt(clause, document.Root), appendMembers(nil, clause, document.Root)
}

// appendMembers walks definitions in $defs and does not follow references, so
// it visits every schema once.
func appendMembers(all []member, clause string, n *tree.Node) []member {
	for _, property := range n.Below("properties") {
		all = append(all, memberAt(clause+property.Pointer(), property))
	}
	for _, subschema := range n.Subschemas() {
		switch subschema.Step().Keyword {
		case "propertyNames", "contentSchema", "definitions": // they declare no members of the value
		default:
			all = appendMembers(all, clause, subschema)
		}
	}
	return all
}
