package diff

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// child returns the subschema that a keyword holds. name is "" for a keyword
// that holds only one. Without a subschema, anything is accepted.
func (n *normal) child(keyword, name string) subschema { return n.childOr(keyword, name, anything) }

func (n *normal) childOr(keyword, name string, absent *tree.Node) subschema {
	return subschema{n.at.doc, cmp.Or(n.keys.Child(keyword, name), absent)}
}

// childNames returns the sorted names of the subschemas that a keyword holds in
// any of the schemas.
func childNames(keyword string, schemas ...*tree.Node) []string {
	var names []string
	for _, n := range schemas {
		for _, s := range n.Below(keyword) {
			names = append(names, s.Step().Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *comparer) required(from, to *normal, at place) {
	c.names(at.to(Required, "required"), from.keys.Texts("required"), to.keys.Texts("required"))
	old := from.keys.DependentRequired()
	now := to.keys.DependentRequired()
	names := slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(now))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c.names(at.to(Required, "dependentRequired", name), old[name], now[name])
	}
}

// names compares two lists of required names.
func (c *comparer) names(p place, old, now []string) {
	for _, name := range without(now, old) {
		c.add(p, Narrowed, nil, name)
	}
	for _, name := range without(old, now) {
		c.add(p, Widened, name, nil)
	}
}

// object compares properties, patternProperties, additionalProperties and
// propertyNames. Which of the first three apply to a member depends on all
// three.
func (c *comparer) object(from, to *normal, at place) {
	openBefore := from.child("additionalProperties", "")
	openNow := to.child("additionalProperties", "")
	isOpen := openBefore.Form() == tree.True && openNow.Form() == tree.True
	patternsAgree := c.patternProperties(from, to, isOpen, at)
	// additionalProperties doesn't apply to a member that a pattern matches.
	member := func(n *normal, name string, open subschema) (s subschema, declared bool) {
		s = n.child("properties", name)
		declared = s.Node != anything
		if !declared && !(patternsAgree && matchesPattern(n, name)) {
			s = open
		}
		return s, declared
	}
	for _, name := range childNames("properties", from.keys, to.keys) {
		a, had := member(from, name, openBefore)
		b, has := member(to, name, openNow)
		p := at.to(Property, "properties", name)
		first := len(c.findings)
		c.down(func() { c.compare(a, b, p) })
		c.undeclared(c.findings[first:], p, had, has)
	}
	if !isOpen {
		c.down(func() { c.compare(openBefore, openNow, at.to(Additional, "additionalProperties")) })
	}
	if from.keys.Has("propertyNames") || to.keys.Has("propertyNames") {
		c.down(func() {
			c.compare(from.child("propertyNames", ""), to.child("propertyNames", ""), at.to(Property, "propertyNames"))
		})
	}
}

// undeclared corrects findings about a member that one side doesn't declare. A
// closed object refuses such a member through the schema false, which no author
// wrote.
func (c *comparer) undeclared(findings []Difference, p place, had, has bool) {
	for i := range findings {
		f := &findings[i]
		if f.Pointer != p.pointer {
			continue
		}
		if !had && f.From == false {
			f.From = nil
		}
		if !has && f.To == false {
			f.To = nil
		}
	}
}

// patternProperties compares the schemas of members by their patterns. It
// reports whether both sides have the same patterns.
func (c *comparer) patternProperties(from, to *normal, isOpen bool, at place) bool {
	const keyword = "patternProperties"
	agree := true
	for _, pattern := range childNames(keyword, from.keys, to.keys) {
		old := from.keys.Child(keyword, pattern)
		now := to.keys.Child(keyword, pattern)
		p := at.to(Property, keyword, pattern)
		if old == nil || now == nil {
			agree = false
			// If additionalProperties allows everything, a pattern can only
			// narrow.
			if !isOpen {
				c.unknown(p, written(old), written(now), "the members that a pattern takes from additionalProperties cannot be determined")
				continue
			}
		}
		c.down(func() { c.compare(from.child(keyword, pattern), to.child(keyword, pattern), p) })
	}
	return agree
}

func matchesPattern(n *normal, name string) bool {
	return slices.ContainsFunc(n.keys.Below("patternProperties"), func(s *tree.Node) bool {
		re, err := tree.Regexp(s.Step().Name)
		return err == nil && re.MatchString(name)
	})
}

// written returns a schema in written form, or nil if there is none.
func written(n *tree.Node) any {
	if n == nil {
		return nil
	}
	return n.Written()
}

func (c *comparer) array(from, to *normal, at place) {
	item := func(n *normal, i int) subschema {
		return subschema{n.at.doc, cmp.Or(n.keys.Item(i), anything)}
	}
	c.down(func() {
		for i := range max(len(from.keys.Below("prefixItems")), len(to.keys.Below("prefixItems"))) {
			c.compare(item(from, i), item(to, i), at.to(Items, "prefixItems", strconv.Itoa(i)))
		}
		if from.keys.Has("items") || to.keys.Has("items") {
			c.compare(from.child("items", ""), to.child("items", ""), at.to(Items, "items"))
		}
	})
	was := from.keys.Is("uniqueItems")
	unique := to.keys.Is("uniqueItems")
	switch {
	case unique && !was:
		c.add(at.to(Items, "uniqueItems"), Narrowed, nil, true)
	case was && !unique:
		c.add(at.to(Items, "uniqueItems"), Widened, true, nil)
	}
}

func (c *comparer) contains(from, to *normal, at place) {
	p := at.to(Items, "contains")
	if !c.present(from, to, "contains", p) {
		return
	}
	a := from.child("contains", "")
	b := to.child("contains", "")
	if from.keys.Has("maxContains") || to.keys.Has("maxContains") {
		equal := false
		c.down(func() { equal = c.within(a, b) && c.within(b, a) })
		if !equal {
			c.unknown(p, a.Written(), b.Written(), "the effect of another contains cannot be determined if there is a maxContains")
			return
		}
		c.down(func() { c.matched([][2]branch{{{a, p}, {b, p}}}) })
	} else {
		c.down(func() { c.compare(a, b, p) })
	}
	orOne := func(n *normal) *tree.Node {
		if n.keys.Has("minContains") {
			return n.keys
		}
		return tree.Writing("minContains", int64(1))
	}
	c.count(orOne(from), orOne(to), at.to(Items, "minContains"), "minContains", 1)
	c.count(from.keys, to.keys, at.to(Items, "maxContains"), "maxContains", -1)
}
