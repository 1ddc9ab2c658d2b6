package oldschema

import (
	"maps"
	"math"
	"reflect"
	"slices"
)

// Fill returns tree with the defaults of properties that are absent: of the object itself, of objects within it that
// are present, of items and of values of maps, through $ref and allOf. An absent object without a default of its own
// stays absent, and what stands under any other keyword, such as anyOf, oneOf, not and if, is not filled in.
//
// The default of a property is the one in its schema or, where that has none, the one that its $ref and its allOf lead
// to. All that the schemas of one object say of an absent property holds together, in no order: where they give it
// several defaults, and these are not equal once they are filled in themselves, none is. A default is filled like a value
// that was given. So leaving a property out and giving the default that it gets yield equal trees, and a tree that was
// filled is not changed again.
//
// tree is not changed: where something is filled in, the containers on the way to it are copied, and changed is true.
// Defaults are copied, so that a caller may change what it gets.
func (s *Schema) Fill(tree any) (filled any, changed bool) {
	f := filler{budget: math.MaxInt}
	return f.fill(filling(s.graph.root), tree)
}

// A filler is one run of Fill. budget is how many defaults it may still try: [Compile] uses it to find the default
// whose own schema has a default that has a default, without end.
type filler struct {
	budget int
}

// fill fills a value in by all schemas that apply to it. Taking them together, and each level of the value after the
// one above it, is what makes their order and their number of rounds count for nothing.
func (f *filler) fill(all level, value any) (any, bool) {
	if len(all) == 0 || f.budget <= 0 {
		return value, false
	}
	switch container := value.(type) {
	case map[string]any:
		return f.object(all, container)
	case []any:
		return f.array(all, container)
	default:
		return value, false
	}
}

func (f *filler) object(all level, given map[string]any) (map[string]any, bool) {
	members, changed := given, false
	set := func(name string, value any) {
		if !changed {
			members, changed = maps.Clone(given), true
		}
		members[name] = value
	}
	var none map[string]bool // the names for which there is no one default
	for _, n := range all {
		for name, property := range n.members {
			if _, present := members[name]; present || !property.hasDefault || none[name] {
				continue
			}
			if value, ok := f.absent(all, name); ok {
				set(name, value)
				continue
			}
			if none == nil {
				none = map[string]bool{}
			}
			none[name] = true
		}
	}
	if !slices.ContainsFunc(all, func(n *node) bool { return n.fillsMembers }) {
		return members, changed
	}
	for name, member := range given {
		if filled, ok := f.fill(filling(all.member(name)...), member); ok {
			set(name, filled)
		}
	}
	return members, changed
}

// absent returns what an absent member gets.
func (f *filler) absent(all level, name string) (value any, ok bool) {
	member := filling(all.member(name)...)
	for i, source := range all.sources(name) {
		f.budget--
		filled, _ := f.fill(member, clone(source.doc["default"]))
		if i == 0 {
			value, ok = filled, true
		}
		ok = ok && equal(value, filled)
	}
	return value, ok
}

func (f *filler) array(all level, given []any) ([]any, bool) {
	items, changed := given, false
	prefix := all.prefix()
	others := filling(all.item(prefix)...)
	for i, item := range given {
		at := others
		if i < prefix {
			at = filling(all.item(i)...)
		}
		if filled, ok := f.fill(at, item); ok {
			if !changed {
				items, changed = slices.Clone(given), true
			}
			items[i] = filled
		}
	}
	return items, changed
}

// markFills notes where Fill has something to look for.
func (g *graph) markFills() {
	for again := true; again; {
		again = false
		for _, n := range g.order {
			hasDefault, fills := n.hasDefault || n.reachesOwnDefault(), n.fills || n.reachesDefault()
			again = again || hasDefault != n.hasDefault || fills != n.fills
			n.hasDefault, n.fills = hasDefault, fills
		}
	}
	for _, n := range g.order {
		n.fillsMembers = slices.ContainsFunc(n.edges, func(e edge) bool {
			return e.to.fills && (e.keyword == "properties" || e.keyword == "patternProperties" || e.keyword == "additionalProperties")
		})
	}
}

func (n *node) reachesOwnDefault() bool {
	if _, ok := n.doc["default"]; ok {
		return true
	}
	return slices.ContainsFunc(n.edges, func(e edge) bool { return e.together() && e.to.hasDefault })
}

func (n *node) reachesDefault() bool {
	for _, e := range n.edges {
		switch e.keyword {
		case "properties":
			if e.to.hasDefault || e.to.fills {
				return true
			}
		case "$ref", "allOf", "items", "prefixItems", "additionalProperties", "patternProperties":
			if e.to.fills {
				return true
			}
		}
	}
	return false
}

// equal compares two trees. Equal numbers are of one kind in both, see strictjson.Parse.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

func clone(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			out[name] = clone(member)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = clone(item)
		}
		return out
	default:
		return value
	}
}
