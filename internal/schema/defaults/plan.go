package defaults

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A plan holds what to fill into the values of one schema. Recursive schemas
// have recursive plans.
type plan struct {
	properties map[string]*property
	others     *plan // of the values of a map
	items      *plan
	prefix     int // items before those that items is for
}

// A property of a plan has a default if source is not nil.
type property struct {
	schema *tree.Node
	source *tree.Node // the schema with the default, or nil
	value  any        // the default
	plan   *plan
	text   func() []byte // of the default, filled in itself
}

// longChain is the length from which a chain is searched by a map.
const longChain = 16

// chain returns a schema and those that lead on from it, one after another.
func chain(n *tree.Node) []*tree.Node {
	var list []*tree.Node
	var seen map[*tree.Node]bool // nil for a short list
	for ; n != nil; n = onward(n) {
		if seen[n] || seen == nil && slices.Contains(list, n) {
			break
		}
		list = append(list, n)
		if len(list) == longChain {
			seen = map[*tree.Node]bool{}
			for _, link := range list {
				seen[link] = true
			}
		}
		if seen != nil {
			seen[n] = true
		}
	}
	return list
}

// onward returns the schema that every value of n has, or every one but null:
// what its $ref leads to, or the first branch of an anyOf whose second one is
// null. It returns nil if there is none.
func onward(n *tree.Node) *tree.Node {
	if n.Ref != nil {
		return n.Ref
	}
	return n.OrNull()
}

// next calls path for each property of n, for its items and for the values of
// a map, where a path leads on, and other for every other edge.
func next(n *tree.Node, path, other func(tree.Edge)) {
	taken := map[tree.Step]bool{}
	for _, link := range chain(n) {
		for e := range link.Edges() {
			onPath := e.Keyword == "properties" || e.Keyword == "items" || e.Keyword == "additionalProperties" && isMap(n)
			switch {
			case onPath && !taken[e.Step]:
				taken[e.Step] = true
				path(e)
			case e.To != onward(link):
				other(e)
			}
		}
	}
}

// isMap reports whether additionalProperties takes every member that is not
// under properties, and nothing else takes it.
func isMap(n *tree.Node) bool {
	return onward(n) == nil && !n.Has("patternProperties")
}

// A planner makes the plans of the schemas of a document.
type planner struct {
	plans    map[*tree.Node]*plan
	withheld map[*tree.Node]bool // schemas whose default is not filled in
}

func (p planner) plan(n *tree.Node) *plan {
	if known, ok := p.plans[n]; ok {
		return known
	}
	made := &plan{properties: map[string]*property{}, prefix: prefix(n)}
	p.plans[n] = made
	next(n, func(e tree.Edge) {
		below := p.plan(e.To)
		switch e.Keyword {
		case "items":
			made.items = below
		case "additionalProperties":
			made.others = below
		default:
			declared := &property{schema: e.To, plan: below}
			if source := p.source(e.To); source != nil {
				declared.source = source
				declared.value = source.Value("default")
				declared.text = sync.OnceValue(declared.writeDefault)
			}
			made.properties[e.Name] = declared
		}
	}, func(tree.Edge) {})
	return made
}

// prefix returns the index of the first array item to which the keyword items
// of a schema applies.
func prefix(n *tree.Node) int {
	for _, link := range chain(n) {
		if link.Has("items") {
			return len(link.Below("prefixItems"))
		}
	}
	return 0
}

// source returns the schema whose default the values of n have, or nil.
func (p planner) source(n *tree.Node) *tree.Node {
	for _, link := range chain(n) {
		if p.withheld[link] {
			return nil
		}
		if hasDefault(link) {
			return link
		}
	}
	return nil
}

func hasDefault(n *tree.Node) bool {
	_, ok := n.Get("default")
	return ok
}

// fill returns value with its defaults. It does not change value; changed
// reports whether the result is another one. Each default that it fills in
// takes one from budget, and none is filled in when there is no budget left.
func (p *plan) fill(value any, budget *int) (filled any, changed bool) {
	if p == nil || *budget <= 0 {
		return value, false
	}
	switch given := value.(type) {
	case map[string]any:
		return p.object(given, budget)
	case []any:
		return p.array(given, budget)
	default:
		return value, false
	}
}

func (p *plan) object(given map[string]any, budget *int) (members map[string]any, changed bool) {
	members = given
	set := func(name string, value any) {
		if !changed {
			members = maps.Clone(given)
			changed = true
		}
		members[name] = value
	}
	for name, value := range given {
		below := p.others
		if declared := p.properties[name]; declared != nil {
			below = declared.plan
		}
		if filled, ok := below.fill(value, budget); ok {
			set(name, filled)
		}
	}
	for name, declared := range p.properties {
		if _, present := given[name]; !present && declared.source != nil {
			*budget--
			set(name, declared.filled(budget))
		}
	}
	return members, changed
}

func (p *plan) array(given []any, budget *int) (items []any, changed bool) {
	items = given
	for i := p.prefix; i < len(given); i++ {
		if filled, ok := p.items.fill(given[i], budget); ok {
			if !changed {
				items = slices.Clone(given)
				changed = true
			}
			items[i] = filled
		}
	}
	return items, changed
}

// filled returns the value of an absent property.
func (p *property) filled(budget *int) any {
	filled, _ := p.plan.fill(clone(p.value), budget)
	return filled
}

func (p *property) writeDefault() []byte {
	unlimited := math.MaxInt
	text, _ := strictjson.Marshal(p.filled(&unlimited)) // a default was read from JSON
	return text
}

// isDefault reports whether a value is what an absent property gets.
func (p *property) isDefault(value any) bool {
	if p.source == nil {
		return false
	}
	text, err := strictjson.Marshal(value)
	return err == nil && bytes.Equal(text, p.text())
}

// omit reverses fill: it returns value without the members that equal their
// default. It does not change value.
func (p *plan) omit(value any) (rest any, changed bool) {
	if p == nil {
		return value, false
	}
	switch given := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(given))
		for name, member := range given {
			below := p.others
			if declared := p.properties[name]; declared != nil {
				if declared.isDefault(member) {
					changed = true
					continue
				}
				below = declared.plan
			}
			kept, shorter := below.omit(member)
			members[name] = kept
			changed = changed || shorter
		}
		return members, changed
	case []any:
		items := slices.Clone(given)
		for i := p.prefix; i < len(given); i++ {
			kept, shorter := p.items.omit(given[i])
			items[i] = kept
			changed = changed || shorter
		}
		return items, changed
	default:
		return value, false
	}
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
