package defaults

import (
	"regexp"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// An applied holds the schemas that apply to each object and array that one
// schema accepts: those that its $ref and allOf lead to, and the branch of an
// anyOf or oneOf whose other branches are all null.
type applied struct {
	links []*link
	edges int // of all links
}

// A link is a schema with what it applies to members.
type link struct {
	*tree.Node

	properties map[string]*tree.Node
	patterns   []pattern
	additional *tree.Node // nil if it has no additionalProperties
	names      *tree.Node // nil if it has no propertyNames
}

// A pattern is a member of patternProperties.
type pattern struct {
	*regexp.Regexp

	to *tree.Node
}

// together returns what applies together with n. It is incomplete if there is
// not enough work left.
func (c *checker) together(n *tree.Node) *applied {
	if known := c.applied[n]; known != nil {
		return known
	}
	all := &applied{}
	c.applied[n] = all
	seen := map[*tree.Node]bool{}
	var add func(n *tree.Node)
	add = func(n *tree.Node) {
		if seen[n] || !c.spend(1+n.Degree()) {
			return
		}
		seen[n] = true
		all.links = append(all.links, c.link(n))
		all.edges += n.Degree()
		if n.Ref == nil && !hasBranches(n) {
			return
		}
		for e := range n.Edges() {
			switch {
			case e.Keyword == "$ref", e.Keyword == "allOf":
				add(e.To)
			case (e.Keyword == "anyOf" || e.Keyword == "oneOf") && e.Name == "0":
				if only := n.OnlyBranch(e.Keyword); only != nil {
					add(only)
				}
			}
		}
	}
	add(n)
	return all
}

func (c *checker) link(n *tree.Node) *link {
	if known := c.links[n]; known != nil {
		return known
	}
	l := &link{Node: n}
	c.links[n] = l
	for e := range n.Edges() {
		switch e.Keyword {
		case "properties":
			if l.properties == nil {
				l.properties = map[string]*tree.Node{}
			}
			l.properties[e.Name] = e.To
		case "patternProperties":
			if re, err := tree.Regexp(e.Name); err == nil {
				l.patterns = append(l.patterns, pattern{re, e.To})
			}
		case "additionalProperties":
			l.additional = e.To
		case "propertyNames":
			l.names = e.To
		}
	}
	return l
}

// hasBranches reports whether a schema has an allOf, anyOf or oneOf.
func hasBranches(n *tree.Node) bool { return n.Has("allOf") || n.Has("anyOf") || n.Has("oneOf") }

// toMember returns the schemas that apply to a member of every object of n that
// has it, whatever other members the object has. names are those that apply to
// the name of the member.
func (c *checker) toMember(n *tree.Node, name string) (values, names []*tree.Node) {
	for _, l := range c.together(n).links {
		if !c.spend(1 + len(l.patterns)) {
			return nil, nil
		}
		declared := false
		for _, p := range l.patterns {
			if p.MatchString(name) {
				values = append(values, p.to)
				declared = true
			}
		}
		if to := l.properties[name]; to != nil {
			values = append(values, to)
			declared = true
		}
		if l.additional != nil && !declared {
			values = append(values, l.additional)
		}
		if l.names != nil {
			names = append(names, l.names)
		}
	}
	return values, names
}
