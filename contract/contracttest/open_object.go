package contracttest

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// judgeOpenInput reports objects that name their members and accept any other
// member beside them. JSON Schema leaves an object open unless it is closed, so
// the schema of a wrapped tool often is open by accident, and a misspelt member
// passes unnoticed.
func judgeOpenInput(s *subject, report reportFunc) {
	var document any
	if json.Unmarshal(s.doc.InputSchema, &document) != nil {
		return
	}
	o := openWalk{report: report, seen: map[*schemadoc.Node]bool{}}
	o.value(schemadoc.New(document).Root)
}

type openWalk struct {
	report reportFunc
	seen   map[*schemadoc.Node]bool
}

// value visits the schema of a value. The schemas in its place count as parts
// of it.
func (o *openWalk) value(n *schemadoc.Node) {
	if o.seen[n] {
		return
	}
	o.seen[n] = true
	parts := inPlace(n)
	if slices.ContainsFunc(parts, namesMembers) && !isClosed(n, map[*schemadoc.Node]bool{}) {
		o.report("inputSchema"+n.Pointer, "the object accepts members that its schema does not name")
	}
	for _, part := range parts {
		for _, e := range part.Edges {
			switch {
			case schemadoc.InPlace(e.Keyword), e.Keyword == "propertyNames", e.Keyword == "contentSchema":
			default:
				o.value(e.To)
			}
		}
	}
}

// inPlace returns a schema and those that apply to the same value, without the
// conditions, which accept nothing by themselves.
func inPlace(n *schemadoc.Node) []*schemadoc.Node {
	var parts []*schemadoc.Node
	var add func(n *schemadoc.Node)
	add = func(n *schemadoc.Node) {
		if n.Keywords == nil || slices.Contains(parts, n) {
			return
		}
		parts = append(parts, n)
		for _, e := range n.Edges {
			if schemadoc.InPlace(e.Keyword) && e.Keyword != "not" && e.Keyword != "if" {
				add(e.To)
			}
		}
	}
	add(n)
	return parts
}

func namesMembers(n *schemadoc.Node) bool {
	properties, _ := n.Keywords["properties"].(map[string]any)
	return len(properties) > 0
}

// isClosed reports whether a schema bounds the members that it does not name:
// by itself, by a schema that always applies, or by every alternative.
func isClosed(n *schemadoc.Node, above map[*schemadoc.Node]bool) bool {
	if above[n] {
		return false
	}
	above[n] = true
	defer delete(above, n)
	if n.Keywords == nil {
		return false
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch rest := n.Keywords[keyword].(type) {
		case bool:
			if !rest {
				return true
			}
		case map[string]any:
			if len(rest) > 0 {
				return true
			}
		}
	}
	alternatives := map[string]bool{}
	for _, e := range n.Edges {
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
