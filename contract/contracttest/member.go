package contracttest

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// A member is the schema of one member of an object, at any depth.
type member struct {
	// path is its place, such as "inputSchema/properties/to".
	path string
	// keywords are those of the schema, and of the schemas that it refers to.
	keywords map[string]any
}

// has reports whether the member's schema has one of the keywords.
func (m member) has(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { _, ok := m.keywords[k]; return ok })
}

// A walk collects the members of a schema at any depth, in a fixed order.
type walk struct {
	document *schemadoc.Document
	all      []member
}

// members returns the schema of a clause as a member itself, and the members
// that it names at any depth. A tool without the schema has none.
func members(clause string, raw json.RawMessage) (root member, below []member) {
	var document any
	if json.Unmarshal(raw, &document) != nil {
		return member{path: clause}, nil
	}
	w := &walk{document: schemadoc.New(document)}
	w.schema(clause, document)
	return member{path: clause, keywords: w.merged(document)}, w.all
}

// schema walks a schema. It walks definitions in $defs and does not follow
// references, so it visits everything once.
func (w *walk) schema(path string, node any) {
	schemadoc.Each(node, func(step schemadoc.Step, property any) {
		if step.Keyword == "properties" {
			w.all = append(w.all, member{path: step.From(path), keywords: w.merged(property)})
		}
	})
	schemadoc.Each(node, func(step schemadoc.Step, subschema any) {
		switch step.Keyword {
		case "propertyNames", "contentSchema", "definitions": // they declare no members of the value
		default:
			w.schema(step.From(path), subschema)
		}
	})
}

// merged returns the keywords of a schema and of the schemas that it refers to,
// of which the nearest counts. It ends, because Build refuses circles of
// references.
func (w *walk) merged(node any) map[string]any {
	all := map[string]any{}
	for {
		keywords, _ := node.(map[string]any)
		for k, v := range keywords {
			if _, own := all[k]; !own {
				all[k] = v
			}
		}
		ref, ok := keywords["$ref"].(string)
		if !ok {
			return all
		}
		node = w.document.Follow(ref)
	}
}
