package schemadiff

// negation compares not. A schema that refuses less is wider.
func (c *comparer) negation(from, to *normal, at place) {
	before, had := from.keys["not"]
	after, has := to.keys["not"]
	if !had && !has {
		return
	}
	// Without the keyword, nothing is refused.
	refusedBefore, refusedNow := from.at.doc.at(false), to.at.doc.at(false)
	if had {
		refusedBefore = from.at.doc.at(before)
	}
	if has {
		refusedNow = to.at.doc.at(after)
	}
	narrowed := !c.within(refusedNow, refusedBefore)
	widened := !c.within(refusedBefore, refusedNow)
	p := at.to(Condition, "not")
	switch {
	case narrowed && widened:
		c.unknown(p, before, after, "the schema under not refuses more and less, or cannot be compared")
	case narrowed:
		c.add(p, Narrowed, before, after)
	case widened:
		c.add(p, Widened, before, after)
	default:
		c.matched([][2]branch{{{refusedBefore, p}, {refusedNow, p}}})
	}
}

// condition compares if, then and else.
func (c *comparer) condition(from, to *normal, at place) {
	p := at.to(Condition, "if")
	if !c.present(from, to, "if", p) {
		return
	}
	before, after := from.keys["if"], to.keys["if"]
	a, b := from.at.doc.at(before), to.at.doc.at(after)
	if !c.within(a, b) || !c.within(b, a) {
		c.unknown(p, before, after, "two conditions cannot be compared")
		return
	}
	c.matched([][2]branch{{{a, p}, {b, p}}})
	for _, keyword := range []string{"then", "else"} {
		old, was := from.keys[keyword]
		now, is := to.keys[keyword]
		c.compare(from.at.orAny(old, was), to.at.orAny(now, is), at.to(Condition, keyword))
	}
}

func (c *comparer) dependentSchemas(from, to *normal, at place) {
	old, now := members(from.keys["dependentSchemas"]), members(to.keys["dependentSchemas"])
	for _, name := range bothNames(old, now) {
		before, had := old[name]
		after, has := now[name]
		c.compare(from.at.orAny(before, had), to.at.orAny(after, has), at.to(Condition, "dependentSchemas", name))
	}
}

// rest compares the parts that could not be merged. A part that is gone makes
// the schema wider, and a new part makes it narrower. Equal parts are matched
// first, then the others in order.
func (c *comparer) rest(from, to *normal, at place) {
	if len(from.rest)+len(to.rest) == 0 {
		return
	}
	list := func(parts []part) []branch {
		branches := make([]branch, len(parts))
		for i, p := range parts {
			branches[i] = branch{p.subschema, at.to(Condition, p.path...)}
		}
		return branches
	}
	old, now, matched := c.match(list(from.rest), list(to.rest))
	c.matched(matched)
	for i := range min(len(old), len(now)) {
		c.compare(old[i].subschema, now[i].subschema, now[i].at)
	}
	for _, gone := range old[min(len(old), len(now)):] {
		c.add(gone.at, Widened, gone.value, nil)
	}
	for _, added := range now[min(len(old), len(now)):] {
		c.add(added.at, Narrowed, nil, added.value)
	}
}
