package diff

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A normal is a subschema as one set of keywords: its own, those of its $ref's
// target, and those of its allOf. rest holds the keywords that can't be merged
// and must be satisfied too.
type normal struct {
	at        subschema
	never     bool       // it accepts nothing
	keys      *tree.Node // the keywords that affect which values are accepted
	annotated map[string][]annotation
	rest      []part
	opaque    bool   // it has one of opaqueKeywords
	problem   string // why it can't be compared; "" if it can

	branches []subschema // see split
}

// A part is a subschema of an allOf, with its path below the whole schema. A
// reference doesn't change the path.
type part struct {
	subschema
	path []string
}

// An annotation is one value of an annotation keyword or a default, with its
// path.
type annotation struct {
	path  []string
	value any
}

// opaqueKeywords depend on more than the keywords beside them. Schemas that
// have them are either the same or can't be compared.
var opaqueKeywords = []string{
	"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
	"dependencies", "additionalItems",
}

// structural keywords are followed, or don't affect which values are accepted.
var structural = map[string]bool{
	"$ref": true, "allOf": true, "$defs": true, "definitions": true, "$schema": true, "$id": true, "$anchor": true,
}

// groups maps keywords that depend on each other to the name of their group.
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
	if n := d.normals[s.Node]; n != nil {
		return n
	}
	f := flattening{
		normal: &normal{at: s, annotated: map[string][]annotation{}},
		taken:  map[string]*tree.Node{}, above: map[*tree.Node]bool{},
	}
	f.add(s.Node, nil)
	f.keys = tree.Compose(f.taken)
	d.normals[s.Node] = f.normal
	return f.normal
}

// A flattening builds a normal.
type flattening struct {
	*normal
	taken map[string]*tree.Node // the schema each keyword came from
	above map[*tree.Node]bool
}

func (f *flattening) add(n *tree.Node, path []string) {
	switch n.Form() {
	case tree.Object:
	case tree.False:
		f.never = true
		return
	case tree.NoSchema:
		f.problem = "it is not a schema"
		return
	default:
		return
	}
	if f.at.doc.left--; f.at.doc.left <= 0 {
		f.problem = "the schema is too large to be compared"
		return
	}
	if f.above[n] {
		f.problem = "it refers to itself"
		return
	}
	f.above[n] = true
	defer delete(f.above, n)
	if parts, ok := f.at.doc.parts[n]; ok {
		for _, part := range parts {
			f.add(part, path)
		}
		return
	}
	f.merge(n, path)
	if ref, ok := n.Get("$ref"); ok {
		if target, ok := f.at.doc.resolve(ref); ok {
			f.add(target, path)
		} else {
			f.problem = "a reference leads out of the document"
		}
	}
	for _, branch := range n.Below("allOf") {
		f.add(branch, append(slices.Clip(path), "allOf", branch.Step().Name))
	}
	if n.Has("allOf") && n.List("allOf") == nil {
		f.problem = "allOf is not a list"
	}
}

// merge adds keywords group by group. A group that is already present goes to
// rest, except for types and required names, which are combined. All annotation
// values are kept.
func (f *flattening) merge(n *tree.Node, path []string) {
	if n != f.at.doc.Root && n.Value("$id") != nil {
		f.opaque = true
	}
	list, isList := n.Value("type").([]any)
	allowsNone := isList && len(list) == 0 // commonTypes may produce this
	if _, ok := n.Types(); !ok && n.Has("type") && !allowsNone {
		f.problem = "it has an unknown type"
	}
	taken := map[string]bool{}
	for keyword := range f.taken {
		taken[groupOf(keyword)] = true
	}
	beside := map[string]*tree.Node{}
	for _, keyword := range n.Names() {
		value := n.Value(keyword)
		if slices.Contains(opaqueKeywords, keyword) {
			f.opaque = true
		}
		switch {
		case structural[keyword]:
		case annotates(n, keyword):
			f.annotated[keyword] = append(f.annotated[keyword], annotation{path, value})
		case !taken[groupOf(keyword)]:
			f.taken[keyword] = n
		case keyword == "type":
			f.taken[keyword] = tree.Writing(keyword, commonTypes(f.taken[keyword], n))
		case keyword == "required":
			f.taken[keyword] = tree.Writing(keyword, union(f.taken[keyword], n))
		default:
			beside[keyword] = n
		}
	}
	if len(beside) > 0 {
		f.rest = append(f.rest, part{subschema{f.at.doc, tree.Compose(beside)}, path})
	}
}

// union returns the names that either schema requires.
func union(a, b *tree.Node) []any {
	var all []any
	for _, name := range slices.Concat(a.Texts("required"), b.Texts("required")) {
		if !slices.Contains(all, any(name)) {
			all = append(all, name)
		}
	}
	return all
}

// annotates reports whether a schema's keyword doesn't affect which values are
// accepted. That covers default and every keyword that draft 2020-12 doesn't
// define, except duration bounds.
func annotates(n *tree.Node, keyword string) bool {
	if structural[keyword] || slices.Contains(opaqueKeywords, keyword) {
		return false
	}
	if _, ok := schema.DurationBound(n, keyword); ok {
		return false
	}
	return tree.Annotates(keyword) || !tree.IsKeyword(keyword)
}

func hasName(value any, such func(name string) bool) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if such(name) || hasName(member, such) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, func(item any) bool { return hasName(item, such) })
	}
	return false
}
