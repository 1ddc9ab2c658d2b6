package contracttest

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
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
	follow func(ref string) any
	all    []member
}

// members returns the schema of a clause as a member itself, and the members
// that it names at any depth. A tool without the schema has none.
func members(clause string, raw json.RawMessage) (root member, below []member) {
	var document any
	if json.Unmarshal(raw, &document) != nil {
		return member{path: clause}, nil
	}
	w := &walk{follow: schema.References(document)}
	w.schema(clause, document)
	return member{path: clause, keywords: w.merged(document)}, w.all
}

// schema walks a schema. It walks definitions in $defs and does not follow
// references, so it visits everything once.
func (w *walk) schema(path string, node any) {
	keywords, ok := node.(map[string]any)
	if !ok {
		return
	}
	properties, _ := keywords["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		w.all = append(w.all, member{path: path + jsonptr.Join("properties", name), keywords: w.merged(properties[name])})
	}
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		at := jsonptr.Append(path, keyword)
		switch keyword {
		case "additionalProperties", "items", "contains", "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems":
			w.schema(at, keywords[keyword])
		case "allOf", "anyOf", "oneOf", "prefixItems":
			list, _ := keywords[keyword].([]any)
			for i, sub := range list {
				w.schema(jsonptr.AppendIndex(at, i), sub)
			}
		case "$defs", "properties", "patternProperties", "dependentSchemas":
			subs, _ := keywords[keyword].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(subs)) {
				w.schema(jsonptr.Append(at, name), subs[name])
			}
		}
	}
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
		node = w.follow(ref)
	}
}
