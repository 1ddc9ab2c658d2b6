package diff

import (
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// annotations compares the keywords that don't affect which values are
// accepted. Defaults that are filled in are left to [comparer.withDefaults].
func (c *comparer) annotations(from, to *normal, at place) {
	names := maps.Clone(from.annotated)
	maps.Copy(names, to.annotated)
	for _, keyword := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(schema.ProtectionKeywords(), keyword) {
			c.annotation(keyword, from.annotated[keyword], to.annotated[keyword], at)
		}
	}
	c.protections(from, to, at)
}

// annotation compares the values that the parts of two schemas give one
// keyword. Equal values count once. People see the first value.
func (c *comparer) annotation(keyword string, old, now []annotation, at place) {
	gone := missing(old, now)
	come := missing(now, old)
	if len(gone)+len(come) == 0 && len(old) > 0 && !same(old[0].value, now[0].value) {
		gone, come = old[:1], now[:1]
	}
	for _, b := range come {
		var before any
		i := slices.IndexFunc(gone, func(a annotation) bool { return slices.Equal(a.path, b.path) })
		if i < 0 && len(gone) == 1 && len(come) == 1 {
			i = 0
		}
		if i >= 0 {
			before = gone[i].value
			gone = slices.Concat(gone[:i], gone[i+1:])
		}
		c.add(at.to(Text, append(slices.Clip(b.path), keyword)...), Reworded, before, b.value)
	}
	for _, a := range gone {
		c.add(at.to(Text, append(slices.Clip(a.path), keyword)...), Reworded, a.value, nil)
	}
}

// missing returns the values in these that are not in other.
func missing(these, other []annotation) []annotation {
	return slices.DeleteFunc(slices.Clone(these), func(a annotation) bool {
		return slices.ContainsFunc(other, func(b annotation) bool { return same(a.value, b.value) })
	})
}

// protections compares the keywords that protect a value. A protection applies
// if any part of the schema has it. A secret value is also sensitive.
func (c *comparer) protections(from, to *normal, at place) {
	for _, keyword := range schema.ProtectionKeywords() {
		old := from.protection(keyword)
		now := to.protection(keyword)
		here := at
		if values := slices.Concat(to.annotated[keyword], from.annotated[keyword]); len(values) > 0 {
			here = at.to(at.kind, values[0].path...)
		}
		had := from.protects(keyword)
		has := to.protects(keyword)
		switch {
		case same(old, now):
		case had && !has:
			c.add(here.to(Exposed, keyword), Reworded, old, now)
		case has && !had:
			c.add(here.to(Protected, keyword), Reworded, old, now)
		default:
			c.add(here.to(Text, keyword), Reworded, old, now)
		}
	}
}

// protection returns the value of a protection keyword: true if any part says
// true, otherwise the first value, or nil if there is none.
func (n *normal) protection(keyword string) any {
	values := n.annotated[keyword]
	if len(values) == 0 {
		return nil
	}
	if slices.ContainsFunc(values, func(s annotation) bool { return s.value == true }) {
		return true
	}
	return values[0].value
}

func (n *normal) protects(keyword string) bool {
	return n.protection(keyword) == true || keyword == schema.SensitiveKeyword && n.protection(schema.SecretKeyword) == true
}

// withoutAnnotations returns a schema reduced to the keywords that are checked.
func withoutAnnotations(s subschema) any {
	return tree.Of(s.Written()).Tree(func(n *tree.Node, keyword string, _ any) string {
		if annotates(n, keyword) {
			return ""
		}
		return keyword
	})
}
