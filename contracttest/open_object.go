package contracttest

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// judgeOpenInput reports objects that name their members but accept any others
// too. JSON Schema leaves an object open unless it is closed, so the schema of
// a wrapped tool is often open by accident, and a misspelt member goes
// unnoticed.
func judgeOpenInput(s *subject, report reportFunc) {
	if s.inputSchema == nil {
		return
	}
	o := openWalk{report: report, seen: map[*tree.Node]bool{}}
	o.value(s.inputSchema.Root)
}

type openWalk struct {
	report reportFunc
	seen   map[*tree.Node]bool
}

// value visits the schema of a value. Schemas applied in place count as parts
// of it, except conditions, which accept nothing by themselves.
func (o *openWalk) value(n *tree.Node) {
	if o.seen[n] {
		return
	}
	o.seen[n] = true
	parts := tree.InPlace([]*tree.Node{n}, tree.Demanding)
	if slices.ContainsFunc(parts, namesMembers) && !isClosed(n, map[*tree.Node]bool{}) {
		o.report("inputSchema"+n.Pointer(), "the object accepts members that its schema does not name")
	}
	for _, part := range parts {
		for e := range part.Edges() {
			switch {
			case tree.AppliesInPlace(e.Keyword), e.Keyword == "propertyNames", e.Keyword == "contentSchema":
			default:
				o.value(e.To)
			}
		}
	}
}

func namesMembers(n *tree.Node) bool { return len(n.Below("properties")) > 0 }

// isClosed reports whether a schema bounds the members that it does not name:
// by itself, through a schema that always applies, or through every
// alternative.
func isClosed(n *tree.Node, above map[*tree.Node]bool) bool {
	if above[n] {
		return false
	}
	above[n] = true
	defer delete(above, n)
	if n.Child("additionalProperties", "").Bounds() || n.Child("unevaluatedProperties", "").Bounds() {
		return true
	}
	alternatives := map[string]bool{}
	for e := range n.Edges() {
		switch e.Keyword {
		case "$ref", "allOf":
			if isClosed(e.To, above) {
				return true
			}
		case "anyOf", "oneOf":
			closed, known := alternatives[e.Keyword]
			alternatives[e.Keyword] = (closed || !known) && isClosed(e.To, above)
		}
	}
	return alternatives["anyOf"] || alternatives["oneOf"]
}
