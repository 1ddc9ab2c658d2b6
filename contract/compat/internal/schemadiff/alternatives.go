package schemadiff

import (
	"maps"
	"slices"
	"strconv"
)

// A branch is one of several alternative schemas.
type branch struct {
	subschema
	at place
}

func alternativesOf(n *normal, keyword string) ([]any, bool) {
	list, ok := n.keys[keyword].([]any)
	return list, ok
}

func branchesOf(n *normal, keyword string, at place) []branch {
	list, _ := alternativesOf(n, keyword)
	branches := make([]branch, len(list))
	for i, value := range list {
		branches[i] = branch{n.at.doc.at(value), at.to(Alternatives, keyword, strconv.Itoa(i))}
	}
	return branches
}

// branches compares two lists of branches under one keyword.
func (c *comparer) branches(keyword string, from, to *normal, at place) {
	_, had := alternativesOf(from, keyword)
	_, has := alternativesOf(to, keyword)
	p := at.to(Alternatives, keyword)
	switch {
	case !had && !has:
		return
	case !had:
		c.add(p, Narrowed, nil, to.keys[keyword])
		return
	case !has:
		c.add(p, Widened, from.keys[keyword], nil)
		return
	}
	old, now := branchesOf(from, keyword, at), branchesOf(to, keyword, at)
	if keyword == "oneOf" && !(c.exclusive(old) && c.exclusive(now)) {
		unmatchedOld, unmatchedNow, matched := c.match(old, now)
		if len(unmatchedOld)+len(unmatchedNow) > 0 {
			c.unknown(p, from.keys[keyword], to.keys[keyword], "branches of oneOf cannot be compared one by one if several may "+
				"accept a value")
		}
		c.matched(matched)
		return
	}
	c.alternatives(old, now)
}

// alternatives compares two lists of which one branch has to hold: each old
// branch has to be within a new one, and the reverse.
func (c *comparer) alternatives(old, now []branch) {
	if c.proving {
		for _, a := range old {
			if !slices.ContainsFunc(now, func(b branch) bool { return c.within(a.subschema, b.subschema) }) {
				c.failed = true
				return
			}
		}
		return
	}
	restOld, restNow, matched := c.match(old, now)
	c.matched(matched)
	if len(restOld) == 1 && len(restNow) == 1 {
		c.compare(restOld[0].subschema, restNow[0].subschema, restNow[0].at)
		return
	}
	for _, a := range restOld {
		if !slices.ContainsFunc(now, func(b branch) bool { return c.within(a.subschema, b.subschema) }) {
			c.add(a.at, Narrowed, a.value, nil)
		}
	}
	for _, b := range restNow {
		if !slices.ContainsFunc(old, func(a branch) bool { return c.within(b.subschema, a.subschema) }) {
			c.add(b.at, Widened, nil, b.value)
		}
	}
}

// matched compares branches that accept the same values, because their
// annotations and defaults may differ. It does nothing while proving.
func (c *comparer) matched(pairs [][2]branch) {
	if c.proving {
		return
	}
	for _, pair := range pairs {
		c.compare(pair[0].subschema, pair[1].subschema, pair[1].at)
	}
}

// match pairs the branches that accept the same values.
func (c *comparer) match(old, now []branch) (restOld, restNow []branch, matched [][2]branch) {
	restNow = slices.Clone(now)
	for _, a := range old {
		i := slices.IndexFunc(restNow, func(b branch) bool {
			return c.within(a.subschema, b.subschema) && c.within(b.subschema, a.subschema)
		})
		if i < 0 {
			restOld = append(restOld, a)
			continue
		}
		matched = append(matched, [2]branch{a, restNow[i]})
		restNow = slices.Delete(restNow, i, i+1)
	}
	return restOld, restNow, matched
}

// lifted compares two schemas as lists of alternatives, if only one of them has
// alternatives, or if they have them under different keywords. It reports
// whether it did.
func (c *comparer) lifted(from, to *normal, at place) bool {
	old, now := c.liftable(from), c.liftable(to)
	if old == now || old == "both" || now == "both" {
		return false
	}
	split := func(n *normal, keyword string) []branch {
		var branches []branch
		for i, s := range n.split(keyword) {
			p := at
			if keyword != "" {
				p = at.to(Alternatives, keyword, strconv.Itoa(i))
			}
			branches = append(branches, branch{s, p})
		}
		return branches
	}
	c.alternatives(split(from, old), split(to, now))
	if !c.proving {
		c.annotations(from, to, at)
	}
	return true
}

// liftable returns the keyword of a schema's alternatives, "" if it has none,
// and "both" if they cannot be written as one list.
func (c *comparer) liftable(n *normal) string {
	anyOf, hasAny := alternativesOf(n, "anyOf")
	_, hasOne := alternativesOf(n, "oneOf")
	switch {
	case !hasAny && !hasOne:
		return ""
	case hasAny && hasOne, hasAny && len(anyOf) == 0:
		return "both"
	case hasAny:
		return "anyOf"
	case c.exclusive(branchesOf(n, "oneOf", place{})):
		return "oneOf"
	default:
		return "both"
	}
}

// split returns a schema as a list of alternatives: its own, each with all its
// other keywords, or one for each type that it allows. The list is made once,
// so that its parts keep their identity.
func (n *normal) split(keyword string) []subschema {
	if n.branches != nil {
		return n.branches
	}
	common := maps.Clone(n.keys)
	with := func(more any) subschema {
		all := []any{common, more}
		for _, s := range n.rest {
			all = append(all, s.value)
		}
		both := n.at.doc.at(map[string]any{"allOf": all})
		n.at.doc.written[both.identity()] = true
		return both
	}
	list, _ := alternativesOf(n, keyword)
	delete(common, keyword)
	if keyword == "" {
		types, _ := n.keys["type"].([]any)
		for _, name := range types {
			list = append(list, map[string]any{"type": name})
		}
		if len(list) == 0 {
			list = []any{true}
		}
	}
	for _, value := range list {
		n.branches = append(n.branches, with(value))
	}
	return n.branches
}

// exclusive reports whether it can be shown that no value satisfies two
// branches.
func (c *comparer) exclusive(branches []branch) bool {
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			if !c.disjoint(a.subschema, b.subschema, maxDisjoint) {
				return false
			}
		}
	}
	return true
}

// maxDisjoint is how many levels of members disjoint looks at.
const maxDisjoint = 4

// disjoint reports whether it can be shown that no value satisfies both
// schemas.
func (c *comparer) disjoint(a, b subschema, levels int) bool {
	if c.steps--; c.steps <= 0 || levels == 0 {
		return false
	}
	x, y := a.doc.normalize(a), b.doc.normalize(b)
	if x.problem != "" || y.problem != "" {
		return false
	}
	if x.never || y.never {
		return true
	}
	common := without(x.typeSet(), without(x.typeSet(), y.typeSet()))
	if len(common) == 0 {
		return true
	}
	first, limited := x.valueSet()
	second, limits := y.valueSet()
	if limited && limits && !slices.ContainsFunc(slices.Collect(maps.Keys(first)), func(text string) bool {
		_,
			ok := second[text]
		return ok
	}) {
		return true
	}
	if len(common) > 1 || common[0] != "object" {
		return false
	}
	return c.excludes(x, y, levels) || c.excludes(y, x, levels)
}

// excludes reports whether x requires a member that y refuses.
func (c *comparer) excludes(x, y *normal, levels int) bool {
	own, others := members(x.keys["properties"]), members(y.keys["properties"])
	for _, name := range words(x.keys["required"]) {
		theirs, ok := others[name]
		if !ok {
			_, patterns := y.keys["patternProperties"]
			if y.keys["additionalProperties"] == false && !patterns {
				return true
			}
			continue
		}
		mine, ok := own[name]
		if ok && c.disjoint(x.at.doc.at(mine), y.at.doc.at(theirs), levels-1) {
			return true
		}
	}
	return false
}
