package defaults

import (
	"iter"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// links iterates over a schema and the chain of schemas it leads to. A schema
// must not refer to itself in place.
func (c *checker) links(n *tree.Node) iter.Seq[*tree.Node] {
	return func(yield func(*tree.Node) bool) {
		for n != nil && c.spend(1+n.Degree()) && yield(n) {
			_, n = onward(n)
		}
	}
}

// onward returns the schema that applies to every value of n, or to every value
// except null: the target of its $ref, or the first branch of an anyOf whose
// second branch is null. It returns nil if there is none.
func onward(n *tree.Node) (keyword string, to *tree.Node) {
	if n.Ref != nil {
		return "$ref", n.Ref
	}
	return "anyOf", n.OrNull()
}

// next calls path for each property of n, for its items and for the values of a
// map, where a path continues, and other for every other edge. link is the
// schema that declares the member, one of the links of n.
//
// In a map, additionalProperties covers every member not listed under
// properties, and nothing else covers it.
func (c *checker) next(n *tree.Node, path func(link *tree.Node, e tree.Edge), other func(e tree.Edge)) {
	declared := map[tree.Step]bool{}
	for link := range c.links(n) {
		_, to := onward(link)
		isMap := link == n && to == nil && !n.Has("patternProperties")
		for e := range link.Edges() {
			onPath := e.Keyword == "properties" || e.Keyword == "items" || e.Keyword == "additionalProperties" && isMap
			switch {
			case onPath && !declared[e.Step]:
				declared[e.Step] = true
				path(link, e)
			case e.To != to:
				other(e)
			}
		}
	}
}

func hasDefault(n *tree.Node) bool { return n.Has("default") }

// source returns the schema whose default an absent member of n gets, or nil.
// beside is a keyword that checks the member but not a value of that schema.
func (c *checker) source(n *tree.Node) (source *tree.Node, beside *condition) {
	for link := range c.links(n) {
		if hasDefault(link) {
			return link, beside
		}
		skipped, _ := onward(link)
		for _, keyword := range link.Names() {
			if beside == nil && keyword != skipped && !tree.Annotates(keyword) {
				beside = &condition{link, keyword, true}
			}
		}
	}
	return nil, nil
}
