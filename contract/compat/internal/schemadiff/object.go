package schemadiff

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

func words(value any) []string {
	list, _ := value.([]any)
	var found []string
	for _, item := range list {
		if word, ok := item.(string); ok {
			found = append(found, word)
		}
	}
	return found
}

func members(value any) map[string]any {
	found, _ := value.(map[string]any)
	return found
}

// bothNames returns the names of two objects, sorted.
func bothNames(a, b map[string]any) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *comparer) required(from, to *normal, at place) {
	c.names(at.to(Required, "required"), words(from.keys["required"]), words(to.keys["required"]))
	old, now := members(from.keys["dependentRequired"]), members(to.keys["dependentRequired"])
	for _, name := range bothNames(old, now) {
		c.names(at.to(Required, "dependentRequired", name), words(old[name]), words(now[name]))
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
	additional := func(n *normal) subschema {
		value, ok := n.keys["additionalProperties"]
		return n.at.orAny(value, ok)
	}
	openBefore, openNow := additional(from), additional(to)
	patternsAgree := c.patternProperties(from, to, openBefore, openNow, at)
	// additionalProperties does not apply to a member that a pattern applies
	// to.
	other := func(n *normal, open subschema, name string) subschema {
		if patternsAgree && matchesPattern(n, name) {
			return n.at.doc.at(true)
		}
		return open
	}
	old, now := members(from.keys["properties"]), members(to.keys["properties"])
	for _, name := range bothNames(old, now) {
		before, had := old[name]
		after, has := now[name]
		a, b := from.at.doc.at(before), to.at.doc.at(after)
		if !had {
			a = other(from, openBefore, name)
		}
		if !has {
			b = other(to, openNow, name)
		}
		p := at.to(Property, "properties", name)
		first := len(c.findings)
		c.down(func() { c.compare(a, b, p) })
		c.undeclared(c.findings[first:], p, had, has)
	}
	if openBefore.value != true || openNow.value != true {
		c.down(func() { c.compare(openBefore, openNow, at.to(Additional, "additionalProperties")) })
	}
	namesBefore, hadNames := from.keys["propertyNames"]
	namesNow, hasNames := to.keys["propertyNames"]
	if hadNames || hasNames {
		c.down(func() {
			c.compare(from.at.orAny(namesBefore, hadNames), to.at.orAny(namesNow, hasNames), at.to(Property, "propertyNames"))
		})
	}
}

// undeclared corrects findings about a member that one side does not declare.
// A closed object refuses such a member by the schema false, which no author
// wrote.
func (c *comparer) undeclared(findings []Finding, p place, had, has bool) {
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
func (c *comparer) patternProperties(from, to *normal, openBefore, openNow subschema, at place) bool {
	old, now := members(from.keys["patternProperties"]), members(to.keys["patternProperties"])
	agree := true
	for _, pattern := range bothNames(old, now) {
		before, had := old[pattern]
		after, has := now[pattern]
		p := at.to(Property, "patternProperties", pattern)
		if had != has {
			agree = false
			// If additionalProperties allows everything, a pattern can only
			// narrow.
			if openBefore.value != true || openNow.value != true {
				c.unknown(p, before, after, "the members that a pattern takes from additionalProperties cannot be determined")
				continue
			}
		}
		c.down(func() { c.compare(from.at.orAny(before, had), to.at.orAny(after, has), p) })
	}
	return agree
}

func matchesPattern(n *normal, name string) bool {
	for pattern := range members(n.keys["patternProperties"]) {
		if re, err := jsonschema.Regexp(pattern); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}

func (c *comparer) array(from, to *normal, at place) {
	old, _ := from.keys["prefixItems"].([]any)
	now, _ := to.keys["prefixItems"].([]any)
	itemsBefore, had := from.keys["items"]
	itemsNow, has := to.keys["items"]
	before, after := from.at.orAny(itemsBefore, had), to.at.orAny(itemsNow, has)
	item := func(n *normal, list []any, i int, items subschema) subschema {
		if i < len(list) {
			return n.at.doc.at(list[i])
		}
		return items
	}
	c.down(func() {
		for i := range max(len(old), len(now)) {
			c.compare(item(from, old, i, before), item(to, now, i, after), at.to(Items, "prefixItems", strconv.Itoa(i)))
		}
		if had || has {
			c.compare(before, after, at.to(Items, "items"))
		}
	})
	switch unique, was := to.keys["uniqueItems"] == true, from.keys["uniqueItems"] == true; {
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
	before, after := from.keys["contains"], to.keys["contains"]
	_, capped := from.keys["maxContains"]
	_, caps := to.keys["maxContains"]
	a, b := from.at.doc.at(before), to.at.doc.at(after)
	if capped || caps {
		equal := false
		c.down(func() { equal = c.within(a, b) && c.within(b, a) })
		if !equal {
			c.unknown(p, before, after, "the effect of another contains cannot be determined if there is a maxContains")
			return
		}
		c.down(func() { c.matched([][2]branch{{{a, p}, {b, p}}}) })
	} else {
		c.down(func() { c.compare(a, b, p) })
	}
	bounds := func(n *normal) *normal {
		keys := maps.Clone(n.keys)
		if _, ok := keys["minContains"]; !ok {
			keys["minContains"] = int64(1)
		}
		return &normal{keys: keys}
	}
	c.count(bounds(from), bounds(to), at.to(Items, "minContains"), "minContains", 1)
	c.count(from, to, at.to(Items, "maxContains"), "maxContains", -1)
}
