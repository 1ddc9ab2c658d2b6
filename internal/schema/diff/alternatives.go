package diff

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A branch is one of several alternative schemas.
type branch struct {
	subschema
	at place
}

func hasAlternatives(n *normal, keyword string) bool { return n.keys.List(keyword) != nil }

func branchesOf(n *normal, keyword string, at place) []branch {
	below := n.keys.Below(keyword)
	branches := make([]branch, len(below))
	for i, s := range below {
		branches[i] = branch{subschema{n.at.doc, s}, at.to(Alternatives, keyword, strconv.Itoa(i))}
	}
	return branches
}

// branches compares two lists of branches under one keyword.
func (c *comparer) branches(keyword string, from, to *normal, at place) {
	had := hasAlternatives(from, keyword)
	has := hasAlternatives(to, keyword)
	before := from.keys.Value(keyword)
	after := to.keys.Value(keyword)
	p := at.to(Alternatives, keyword)
	switch {
	case !had && !has:
		return
	case !had:
		c.add(p, Narrowed, nil, after)
		return
	case !has:
		c.add(p, Widened, before, nil)
		return
	}
	old := branchesOf(from, keyword, at)
	now := branchesOf(to, keyword, at)
	if keyword == "oneOf" && !(c.exclusive(old) && c.exclusive(now)) {
		unmatchedOld, unmatchedNow, matched := c.match(old, now)
		if len(unmatchedOld)+len(unmatchedNow) > 0 {
			c.unknown(p, before, after, "branches of oneOf cannot be compared one by one if several may accept a value")
		}
		c.matched(matched)
		return
	}
	c.alternatives(old, now)
}

// alternatives compares two lists of branches where a value must match one:
// each old branch must be contained in a new one, and vice versa.
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
			c.add(a.at, Narrowed, a.Written(), nil)
		}
	}
	for _, b := range restNow {
		if !slices.ContainsFunc(old, func(a branch) bool { return c.within(b.subschema, a.subschema) }) {
			c.add(b.at, Widened, nil, b.Written())
		}
	}
}

// matched compares branches that accept the same values, because their
// annotations and defaults may still differ. It does nothing while proving.
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

// asAlternatives compares two schemas as lists of alternatives if only one of them has
// alternatives, or if they have them under different keywords. It reports
// whether it did so.
func (c *comparer) asAlternatives(from, to *normal, at place) bool {
	old := c.liftable(from)
	now := c.liftable(to)
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

// liftable returns the keyword that holds a schema's alternatives, "" if it has
// none, and "both" if they can't be written as one list.
func (c *comparer) liftable(n *normal) string {
	hasAny := hasAlternatives(n, "anyOf")
	hasOne := hasAlternatives(n, "oneOf")
	switch {
	case !hasAny && !hasOne:
		return ""
	case hasAny && hasOne, hasAny && len(n.keys.Below("anyOf")) == 0:
		return "both"
	case hasAny:
		return "anyOf"
	case c.exclusive(branchesOf(n, "oneOf", place{})):
		return "oneOf"
	default:
		return "both"
	}
}

// split returns a schema as a list of alternatives: either its own branches,
// each combined with all its other keywords, or one per type it allows. The
// list is built only once, so that its parts keep their identity.
func (n *normal) split(keyword string) []subschema {
	if n.branches != nil {
		return n.branches
	}
	list := n.keys.Below(keyword)
	if keyword == "" {
		for _, name := range n.keys.List("type") {
			list = append(list, tree.Writing("type", name))
		}
		if len(list) == 0 {
			list = append(list, anything)
		}
	}
	others := map[string]*tree.Node{}
	for name := range n.keys.Keywords() {
		if name != keyword {
			others[name] = n.keys
		}
	}
	common := tree.Compose(others)
	for _, one := range list {
		n.branches = append(n.branches, n.at.doc.conjunction(common, one, n.rest))
	}
	return n.branches
}

// conjunction returns the subschema that combines two schemas and further
// parts.
func (d *document) conjunction(a, b *tree.Node, rest []part) subschema {
	parts := []*tree.Node{a, b}
	for _, s := range rest {
		parts = append(parts, s.Node)
	}
	written := make([]any, len(parts))
	for i, part := range parts {
		written[i] = part.Written()
	}
	all := tree.Writing("allOf", written)
	d.parts[all] = parts
	return subschema{d, all}
}

// exclusive reports whether it can be shown that no value satisfies two of the
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

// maxDisjoint is the number of levels of members that disjoint looks at.
const maxDisjoint = 4

// disjoint reports whether it can be shown that no value satisfies both
// schemas.
func (c *comparer) disjoint(a, b subschema, levels int) bool {
	if c.steps--; c.steps <= 0 || levels == 0 {
		return false
	}
	x := a.doc.normalize(a)
	y := b.doc.normalize(b)
	if x.problem != "" || y.problem != "" {
		return false
	}
	if x.never || y.never {
		return true
	}
	common := x.typeSet() & y.typeSet()
	if common == 0 {
		return true
	}
	first, limited := x.valueSet()
	second, limits := y.valueSet()
	if limited && limits && len(without(slices.Collect(maps.Keys(first)), slices.Collect(maps.Keys(second)))) == len(first) {
		return true
	}
	if common != tree.ObjectType {
		return false
	}
	return c.excludes(x, y, levels) || c.excludes(y, x, levels)
}

// excludes reports whether x requires a member that y refuses.
func (c *comparer) excludes(x, y *normal, levels int) bool {
	closed := y.keys.Child("additionalProperties", "").IsFalse() && !y.keys.Has("patternProperties")
	for _, name := range x.keys.Texts("required") {
		mine := x.keys.Child("properties", name)
		theirs := y.keys.Child("properties", name)
		switch {
		case theirs == nil && closed:
			return true
		case mine == nil || theirs == nil:
		case c.disjoint(subschema{x.at.doc, mine}, subschema{y.at.doc, theirs}, levels-1):
			return true
		}
	}
	return false
}
