package diff

// negation compares the keyword not. A schema that refuses less is wider.
func (c *comparer) negation(from, to *normal, at place) {
	before, had := from.keys.Get("not")
	after, has := to.keys.Get("not")
	if !had && !has {
		return
	}
	refusedBefore := from.childOr("not", "", nothing)
	refusedNow := to.childOr("not", "", nothing)
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
	a := from.child("if", "")
	b := to.child("if", "")
	if !c.within(a, b) || !c.within(b, a) {
		c.unknown(p, a.Written(), b.Written(), "two conditions cannot be compared")
		return
	}
	c.matched([][2]branch{{{a, p}, {b, p}}})
	for _, keyword := range []string{"then", "else"} {
		c.compare(from.child(keyword, ""), to.child(keyword, ""), at.to(Condition, keyword))
	}
}

func (c *comparer) dependentSchemas(from, to *normal, at place) {
	for _, name := range childNames("dependentSchemas", from.keys, to.keys) {
		c.compare(from.child("dependentSchemas", name), to.child("dependentSchemas", name), at.to(Condition, "dependentSchemas", name))
	}
}

// rest compares the parts that could not be merged. A removed part makes the
// schema wider, and a new one makes it narrower. Equal parts are matched first,
// then the others in order.
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
		c.add(gone.at, Widened, gone.Written(), nil)
	}
	for _, added := range now[min(len(old), len(now)):] {
		c.add(added.at, Narrowed, nil, added.Written())
	}
}
