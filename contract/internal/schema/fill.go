package schema

import (
	"maps"
	"math"
	"slices"
)

// Fill returns tree with the defaults of properties that are absent: of the object itself, of objects within it that
// are present, of items and of values of maps, through $ref and allOf. An absent object without a default of its own
// stays absent, and so does what stands under anyOf, oneOf, not and if. A default is filled like a value that was
// given, so that leaving a property out and giving its default yield equal trees.
//
// tree is not changed: where something is filled in, the containers on the way to it are copied, and changed is true.
// Defaults are copied, so that a caller may change what it gets.
func (s *Schema) Fill(tree any) (filled any, changed bool) {
	f := filler{budget: math.MaxInt}
	return f.fill(s.graph.root, tree)
}

// A filler is one run of Fill. budget is how many defaults it may still fill in: [Compile] uses it to find the default
// whose own schema has a default that has a default, without end.
type filler struct {
	budget int
}

func (f *filler) fill(n *node, value any) (any, bool) {
	if !n.fills || f.budget <= 0 {
		return value, false
	}
	changed := false
	switch container := value.(type) {
	case map[string]any:
		value, changed = f.object(n, container)
	case []any:
		value, changed = f.array(n, container)
	}
	for _, e := range n.edges {
		if e.keyword == "$ref" || e.keyword == "allOf" {
			filled, ok := f.fill(e.to, value)
			value, changed = filled, changed || ok
		}
	}
	return value, changed
}

func (f *filler) object(n *node, members map[string]any) (map[string]any, bool) {
	changed := false
	set := func(name string, value any) {
		if !changed {
			members, changed = maps.Clone(members), true
		}
		members[name] = value
	}
	for _, e := range n.edges {
		if e.keyword != "properties" {
			continue
		}
		if _, present := members[e.name]; !present {
			if value, ok := e.to.defaultValue(); ok {
				f.budget--
				set(e.name, clone(value))
			}
		}
	}
	if !n.fillsMembers {
		return members, changed
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for _, to := range n.appliedTo(name) {
			if filled, ok := f.fill(to, members[name]); ok {
				set(name, filled)
			}
		}
	}
	return members, changed
}

func (f *filler) array(n *node, items []any) ([]any, bool) {
	changed := false
	first := 0
	for _, e := range n.edges {
		if e.keyword == "prefixItems" {
			first++
		}
	}
	prefix := 0
	for _, e := range n.edges {
		from, to := 0, 0
		switch e.keyword {
		case "prefixItems":
			from, to = prefix, prefix+1
			prefix++
		case "items":
			from, to = first, len(items)
		}
		for i := from; i < min(to, len(items)); i++ {
			if filled, ok := f.fill(e.to, items[i]); ok {
				if !changed {
					items, changed = slices.Clone(items), true
				}
				items[i] = filled
			}
		}
	}
	return items, changed
}

// appliedTo returns the schemas that an object schema applies to the value of one member.
func (n *node) appliedTo(name string) []*node {
	var found []*node
	var additional *node
	for _, e := range n.edges {
		switch e.keyword {
		case "properties":
			if e.name == name {
				found = append(found, e.to)
			}
		case "patternProperties":
			if e.pattern != nil && e.pattern.MatchString(name) {
				found = append(found, e.to)
			}
		case "additionalProperties":
			additional = e.to
		}
	}
	if len(found) == 0 && additional != nil {
		found = append(found, additional)
	}
	return found
}

// defaultValue is the default of a schema or, where it has none, of the schema that it refers to.
func (n *node) defaultValue() (any, bool) {
	if value, ok := n.doc["default"]; ok {
		return value, true
	}
	for _, e := range n.edges {
		if e.keyword == "$ref" {
			return e.to.defaultValue()
		}
	}
	return nil, false
}

// markFills notes where Fill has something to look for.
func (g *graph) markFills() {
	for again := true; again; {
		again = false
		for _, n := range g.order {
			if !n.fills && n.reachesDefault() {
				n.fills, again = true, true
			}
		}
	}
	for _, n := range g.order {
		n.fillsMembers = slices.ContainsFunc(n.edges, func(e edge) bool {
			return e.to.fills && (e.keyword == "properties" || e.keyword == "patternProperties" || e.keyword == "additionalProperties")
		})
	}
}

func (n *node) reachesDefault() bool {
	for _, e := range n.edges {
		switch e.keyword {
		case "properties":
			if _, ok := e.to.defaultValue(); ok || e.to.fills {
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
