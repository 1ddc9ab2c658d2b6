package diff

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// typeSet returns the types that the keyword type allows. Without that keyword,
// it returns the types of the allowed values, or all types.
func (n *normal) typeSet() tree.Types {
	if n.keys.Has("type") {
		types, _ := n.keys.Types()
		return types
	}
	values, ok := n.valueSet()
	if !ok {
		return tree.AnyType
	}
	var types tree.Types
	for _, value := range values {
		types |= tree.TypeOf(value)
	}
	return types
}

// commonTypes returns a value for the keyword type that allows what both
// schemas allow.
func commonTypes(a, b *tree.Node) any {
	first, _ := a.Types()
	second, _ := b.Types()
	common := first & second
	var names []any
	for _, name := range []string{"array", "boolean", "number", "integer", "null", "object", "string"} {
		types, _ := tree.Writing("type", name).Types()
		if common&types == types && !(name == "integer" && common&tree.FractionType != 0) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return names
}

// without returns the items of a that are not in b.
func without[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(item T) bool { return slices.Contains(b, item) })
}

func (c *comparer) types(from, to *normal, at place) {
	old := from.typeSet()
	now := to.typeSet()
	c.addBoth(at.to(Type, "type"), old&^now != 0, now&^old != 0, from.keys.Value("type"), to.keys.Value("type"))
}

// valueSet returns the values that enum and const allow, by canonical text. It
// returns false if all values are allowed.
func (n *normal) valueSet() (map[string]any, bool) {
	var set map[string]any
	if list, ok := n.keys.Value("enum").([]any); ok {
		set = make(map[string]any, len(list))
		for _, value := range list {
			set[canonical(value)] = value
		}
	}
	value, ok := n.keys.Get("const")
	if !ok {
		return set, set != nil
	}
	text := canonical(value)
	if _, listed := set[text]; set != nil && !listed {
		return map[string]any{}, true
	}
	return map[string]any{text: value}, true
}

func (c *comparer) values(from, to *normal, at place) {
	old, limited := from.valueSet()
	now, limits := to.valueSet()
	if !limited && !limits {
		return
	}
	keyword := func(n *normal) string {
		if n.keys.Has("const") {
			return "const"
		}
		return "enum"
	}
	p := at.to(Values, keyword(to))
	if !limits {
		p = at.to(Values, keyword(from))
	}
	before := from.keys.Value(keyword(from))
	after := to.keys.Value(keyword(to))
	lacks := func(set, of map[string]any) bool {
		for text := range of {
			if _, ok := set[text]; !ok {
				return true
			}
		}
		return false
	}
	c.addBoth(p, limits && (!limited || lacks(now, old)), limited && (!limits || lacks(old, now)), before, after)
}

// A bound is one end of a range.
type bound struct {
	value  *big.Rat // nil if there is no bound
	strict bool     // excludes the value itself
}

// tighter reports whether b excludes something that other allows. sign is 1 for
// a lower bound and -1 for an upper one.
func (b bound) tighter(other bound, sign int) bool {
	switch {
	case b.value == nil:
		return false
	case other.value == nil:
		return true
	}
	order := b.value.Cmp(other.value) * sign
	return order > 0 || order == 0 && b.strict && !other.strict
}

func (n *normal) bound(inclusive, exclusive string, sign int) bound {
	b := bound{value: n.keys.Number(inclusive)}
	if e := (bound{n.keys.Number(exclusive), true}); e.tighter(b, sign) {
		return e
	}
	return b
}

func (c *comparer) ranges(from, to *normal, at place) {
	c.end(from, to, at, "minimum", "exclusiveMinimum", 1)
	c.end(from, to, at, "maximum", "exclusiveMaximum", -1)
	c.durationEnd(from, to, at, schema.MinimumKeyword, 1)
	c.durationEnd(from, to, at, schema.MaximumKeyword, -1)
	const keyword = "multipleOf"
	old := from.keys.Number(keyword)
	now := to.keys.Number(keyword)
	p := at.to(Range, keyword)
	divides := func(a, b *big.Rat) bool { return a.Sign() != 0 && new(big.Rat).Quo(b, a).IsInt() }
	switch {
	case old == nil && now == nil:
	case old == nil:
		c.add(p, Narrowed, nil, to.keys.Value(keyword))
	case now == nil:
		c.add(p, Widened, from.keys.Value(keyword), nil)
	default:
		c.addBoth(p, !divides(now, old), !divides(old, now), from.keys.Value(keyword), to.keys.Value(keyword))
	}
}

func (c *comparer) end(from, to *normal, at place, inclusive, exclusive string, sign int) {
	old := from.bound(inclusive, exclusive, sign)
	now := to.bound(inclusive, exclusive, sign)
	keyword := func(b bound) string {
		if b.strict {
			return exclusive
		}
		return inclusive
	}
	p := at.to(Range, keyword(now))
	if now.value == nil {
		p = at.to(Range, keyword(old))
	}
	c.addBoth(p, now.tighter(old, sign), old.tighter(now, sign), from.keys.Value(keyword(old)), to.keys.Value(keyword(now)))
}

func (c *comparer) durationEnd(from, to *normal, at place, keyword string, sign int) {
	old := from.durationBound(keyword)
	now := to.durationBound(keyword)
	p := at.to(Range, keyword)
	c.addBoth(p, now.tighter(old, sign), old.tighter(now, sign), from.keys.Value(keyword), to.keys.Value(keyword))
}

// durationBound returns a duration bound, in nanoseconds.
func (n *normal) durationBound(keyword string) bound {
	d, err := strictjson.ParseDuration(n.keys.Text(keyword))
	if err != nil {
		return bound{}
	}
	return bound{value: new(big.Rat).SetInt64(int64(d))}
}

func (c *comparer) lengths(from, to *normal, at place) {
	for _, what := range []string{"Length", "Items", "Properties"} {
		for keyword, sign := range map[string]int{"min" + what: 1, "max" + what: -1} {
			c.count(from.keys, to.keys, at.to(Length, keyword), keyword, sign)
		}
	}
}

// count compares two bounds on a number of things. A missing minimum counts as
// zero.
func (c *comparer) count(from, to *tree.Node, p place, keyword string, sign int) {
	old := bound{value: from.Number(keyword)}
	now := bound{value: to.Number(keyword)}
	zero := new(big.Rat)
	if sign > 0 && old.value == nil {
		old.value = zero
	}
	if sign > 0 && now.value == nil {
		now.value = zero
	}
	c.addBoth(p, now.tighter(old, sign), old.tighter(now, sign), from.Value(keyword), to.Value(keyword))
}

func (c *comparer) patterns(from, to *normal, at place) {
	c.opaqueText(from, to, at.to(Pattern, "pattern"), "pattern", func(string, string) bool { return false })
}

func (c *comparer) formats(from, to *normal, at place) {
	c.opaqueText(from, to, at.to(Format, "format"), "format", integerFormatWithin)
	old := from.content()
	now := to.content()
	switch {
	case c.sameWithoutAnnotations(old, now):
		if now.Has("contentSchema") {
			p := at.to(Format, "contentSchema")
			c.down(func() {
				c.matched([][2]branch{{{from.child("contentSchema", ""), p}, {to.child("contentSchema", ""), p}}})
			})
		}
	case len(old.Names()) == 0:
		c.add(at.to(Format, now.Names()[0]), Narrowed, nil, now.Written())
	case len(now.Names()) == 0:
		c.add(at.to(Format, old.Names()[0]), Widened, old.Written(), nil)
	default:
		c.unknown(at.to(Format, now.Names()[0]), old.Written(), now.Written(), "two kinds of content cannot be compared")
	}
}

// content returns a schema with only the content keywords.
func (n *normal) content() subschema {
	found := map[string]*tree.Node{}
	for keyword := range n.keys.Keywords() {
		if groupOf(keyword) == "content" {
			found[keyword] = n.keys
		}
	}
	return subschema{n.at.doc, tree.Compose(found)}
}

// opaqueText compares a keyword whose values can't be compared, unless within
// reports that one is contained in the other.
func (c *comparer) opaqueText(from, to *normal, p place, keyword string, within func(a, b string) bool) {
	if !c.present(from, to, keyword, p) {
		return
	}
	old := from.keys.Value(keyword)
	now := to.keys.Value(keyword)
	a := from.keys.Text(keyword)
	b := to.keys.Text(keyword)
	switch {
	case same(old, now):
	case within(a, b):
		c.add(p, Widened, old, now)
	case within(b, a):
		c.add(p, Narrowed, old, now)
	default:
		c.unknown(p, old, now, "two values of "+keyword+" cannot be compared")
	}
}

// integerFormatWithin reports whether every integer of format a has format b.
func integerFormatWithin(a, b string) bool {
	signedA, bitsA := integerFormat(a)
	signedB, bitsB := integerFormat(b)
	if bitsA == 0 || bitsB == 0 || signedA && !signedB {
		return false
	}
	if signedA == signedB {
		return bitsA <= bitsB
	}
	return bitsA < bitsB
}

func integerFormat(format string) (signed bool, bits int) {
	digits, unsigned := strings.CutPrefix(format, "u")
	digits, ok := strings.CutPrefix(digits, "int")
	bits, err := strconv.Atoi(digits)
	if !ok || err != nil || !slices.Contains([]int{8, 16, 32, 64}, bits) {
		return false, 0
	}
	return !unsigned, bits
}
