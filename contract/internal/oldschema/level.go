package oldschema

import "slices"

// A level is the schemas that apply to one value together: those that a keyword above applies to it, each followed by
// what its $ref and its allOf lead to. What depends on the value itself, such as a branch of an anyOf, is not in it.
type level []*node

// together reports whether an edge leads to a schema of the same level.
func (e edge) together() bool { return e.keyword == "$ref" || e.keyword == "allOf" }

// whole is the level of the schemas that are applied to a value.
func whole(applied ...*node) level {
	s := spread{}
	s.add(applied...)
	return s.all
}

// filling is the part of a level that may fill something in.
func filling(applied ...*node) level {
	s := spread{filling: true}
	s.add(applied...)
	return s.all
}

// A spread collects the schemas of a level, each once: where parts of a schema recur in steps of several lengths, there
// would be more and more of them.
type spread struct {
	all     level
	filling bool
	seen    map[*node]bool // what is in all, once that is long
}

func (s *spread) add(applied ...*node) {
	for _, n := range applied {
		if s.filling && !n.fills || s.has(n) {
			continue
		}
		s.all = append(s.all, n)
		for _, e := range n.edges {
			if e.together() {
				s.add(e.to)
			}
		}
	}
}

func (s *spread) has(n *node) bool {
	const long = 16
	if len(s.all) < long {
		return slices.Contains(s.all, n)
	}
	if s.seen == nil {
		s.seen = map[*node]bool{}
		for _, other := range s.all {
			s.seen[other] = true
		}
	}
	known := s.seen[n]
	s.seen[n] = true
	return known
}

// member returns the schemas that are applied to the member of a name.
func (l level) member(name string) []*node {
	var applied []*node
	for _, n := range l {
		known := len(applied)
		if property, ok := n.members[name]; ok {
			applied = append(applied, property)
		}
		var additional *node
		for _, e := range n.unnamed {
			switch {
			case e.keyword == "additionalProperties":
				additional = e.to
			case e.pattern != nil && e.pattern.MatchString(name):
				applied = append(applied, e.to)
			}
		}
		if len(applied) == known && additional != nil {
			applied = append(applied, additional)
		}
	}
	return applied
}

// prefix is how many items have a schema of their own.
func (l level) prefix() int {
	count := 0
	for _, n := range l {
		count = max(count, n.prefix)
	}
	return count
}

// item returns the schemas that are applied to one item.
func (l level) item(index int) []*node {
	var applied []*node
	for _, n := range l {
		at := 0
		for _, e := range n.edges {
			switch e.keyword {
			case "prefixItems":
				if at == index {
					applied = append(applied, e.to)
				}
				at++
			case "items":
				if index >= n.prefix {
					applied = append(applied, e.to)
				}
			}
		}
	}
	return applied
}

// sources returns the schemas whose default a member gets where it is absent.
func (l level) sources(name string) []*node {
	var found []*node
	for _, n := range l {
		if property, ok := n.members[name]; ok {
			found = property.sources(found)
		}
	}
	return found
}

// sources adds the schema whose default a value of this schema has: this one or, where it has none, those that it leads
// to.
func (n *node) sources(found []*node) []*node {
	if n.withheld || !n.hasDefault {
		return found
	}
	if _, ok := n.doc["default"]; ok {
		if slices.Contains(found, n) {
			return found
		}
		return append(found, n)
	}
	for _, e := range n.edges {
		if e.together() {
			found = e.to.sources(found)
		}
	}
	return found
}
