package schemadiff

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// A normal is a subschema as one set of keywords: its own, those of the target
// of its $ref, and those of its allOf. Keywords that cannot be merged are in
// rest, which also has to hold.
type normal struct {
	at        subschema
	never     bool           // it accepts nothing
	keys      map[string]any // the keywords that affect which values are accepted
	annotated map[string][]annotation
	rest      []part
	opaque    bool   // it has one of opaqueKeywords
	problem   string // why it cannot be compared, "" if it can

	branches []subschema // see split
}

// A part is a subschema of an allOf, with its path below the whole schema. A
// reference does not change the path.
type part struct {
	subschema
	path []string
}

// An annotation is one value of an annotation or a default, with its path.
type annotation struct {
	path  []string
	value any
}

// opaqueKeywords depend on more than the keywords beside them. Schemas with
// them are the same or cannot be compared.
var opaqueKeywords = []string{
	"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
	"dependencies", "additionalItems",
}

// structural keywords are followed, or do not affect which values are accepted.
var structural = map[string]bool{
	"$ref": true, "allOf": true, "$defs": true, "definitions": true, "$schema": true, "$id": true, "$anchor": true,
}

// groups has the keywords that depend on each other, with the name of their
// group.
var groups = map[string]string{
	"properties": "object", "patternProperties": "object", "additionalProperties": "object",
	"items": "array", "prefixItems": "array",
	"contains": "contains", "minContains": "contains", "maxContains": "contains",
	"if": "if", "then": "if", "else": "if",
	"enum": "values", "const": "values",
	"contentEncoding": "content", "contentMediaType": "content", "contentSchema": "content",
}

func groupOf(keyword string) string {
	if group, ok := groups[keyword]; ok {
		return group
	}
	return keyword
}

func (d *document) normalize(s subschema) *normal {
	id := s.identity()
	if id != 0 {
		if n := d.normals[id]; n != nil {
			return n
		}
	}
	n := &normal{at: s, keys: map[string]any{}, annotated: map[string][]annotation{}}
	n.flatten(s.value, nil, map[uintptr]bool{})
	if id != 0 {
		d.normals[id] = n
	}
	return n
}

func (n *normal) flatten(value any, path []string, above map[uintptr]bool) {
	keywords, ok := value.(map[string]any)
	if !ok {
		switch value {
		case true:
		case false:
			n.never = true
		default:
			n.problem = "it is not a schema"
		}
		return
	}
	id := subschema{value: keywords}.identity()
	if above[id] {
		n.problem = "it refers to itself"
		return
	}
	above[id] = true
	defer delete(above, id)
	n.merge(keywords, path)
	if ref, ok := keywords["$ref"]; ok {
		text, _ := ref.(string)
		if target, ok := n.at.doc.resolve(text); ok {
			n.flatten(target, path, above)
		} else {
			n.problem = "a reference leads out of the document"
		}
	}
	if list, ok := keywords["allOf"].([]any); ok {
		for i, branch := range list {
			below := path
			if !n.at.doc.written[id] {
				below = append(slices.Clip(path), "allOf", strconv.Itoa(i))
			}
			n.flatten(branch, below, above)
		}
	} else if _, ok := keywords["allOf"]; ok {
		n.problem = "allOf is not a list"
	}
}

// merge adds keywords group by group. A group that is already there goes to
// rest, except for types and required names, which are combined. All values of
// annotations are kept.
func (n *normal) merge(keywords map[string]any, path []string) {
	if id, ok := keywords["$id"]; ok && n.at.doc.isBelowRoot(keywords) {
		n.opaque = n.opaque || id != nil
	}
	taken := map[string]bool{}
	for keyword := range n.keys {
		taken[groupOf(keyword)] = true
	}
	var beside map[string]any
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		value := keywords[keyword]
		if slices.Contains(opaqueKeywords, keyword) {
			n.opaque = true
		}
		switch {
		case structural[keyword]:
		case annotates(keyword):
			n.annotated[keyword] = append(n.annotated[keyword], annotation{path, value})
		case !taken[groupOf(keyword)]:
			n.keys[keyword] = value
		case keyword == "type":
			n.keys["type"] = commonTypes(n.keys["type"], value)
		case keyword == "required":
			n.keys["required"] = union(n.keys["required"], value)
		default:
			if beside == nil {
				beside = map[string]any{}
			}
			beside[keyword] = value
		}
	}
	if beside != nil {
		n.rest = append(n.rest, part{n.at.doc.at(beside), path})
	}
}

func (d *document) isBelowRoot(keywords map[string]any) bool {
	return d.at(keywords).identity() != d.at(d.root).identity()
}

// annotates reports whether a keyword does not affect which values are
// accepted. Every keyword counts that draft 2020-12 does not define, and
// default.
func annotates(keyword string) bool {
	if structural[keyword] || slices.Contains(opaqueKeywords, keyword) {
		return false
	}
	return jsonschema.Annotates(keyword) || !jsonschema.IsKeyword(keyword)
}

func union(a, b any) any {
	var out []any
	for _, name := range slices.Concat(words(a), words(b)) {
		if !slices.Contains(out, any(name)) {
			out = append(out, name)
		}
	}
	return out
}

// hasReference reports whether a tree has a reference, so that its meaning
// depends on the rest of its document.
func hasReference(tree any) bool {
	switch tree := tree.(type) {
	case map[string]any:
		for name, member := range tree {
			if strings.HasSuffix(strings.ToLower(name), "ref") || hasReference(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(tree, hasReference)
	}
	return false
}
