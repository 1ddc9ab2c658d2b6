package schemadiff

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
)

// typeNames are the types of JSON Schema, with "fraction" for numbers that are
// not integers.
var typeNames = []string{"array", "boolean", "fraction", "integer", "null", "object", "string"}

// typeSet returns the types that the keyword type allows. Without the keyword
// it returns the types of the allowed values, or all types.
func (n *normal) typeSet() []string {
	if declared, ok := n.keys["type"]; ok {
		return typesOf(declared)
	}
	values, ok := n.valueSet()
	if !ok {
		return typeNames
	}
	var types []string
	for _, value := range values {
		if name := typeOf(value); !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return types
}

func typesOf(keyword any) []string {
	list, ok := keyword.([]any)
	if !ok {
		list = []any{keyword}
	}
	var types []string
	for _, item := range list {
		name, _ := item.(string)
		if name == "number" {
			types = append(types, "fraction")
			name = "integer"
		}
		types = append(types, name)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		return "fraction"
	default:
		return "integer"
	}
}

// commonTypes returns the type keyword that allows the types that both a and b
// allow.
func commonTypes(a, b any) any {
	var common []any
	both := without(typesOf(a), without(typesOf(a), typesOf(b)))
	for _, name := range both {
		switch {
		case name == "fraction":
			common = append(common, "number")
		case name == "integer" && slices.Contains(both, "fraction"):
		default:
			common = append(common, name)
		}
	}
	if len(common) == 1 {
		return common[0]
	}
	return common
}

// without returns the items of a that are not in b.
func without[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(item T) bool { return slices.Contains(b, item) })
}

func (c *comparer) types(from, to *normal, at place) {
	old, now := from.typeSet(), to.typeSet()
	gone, added := len(without(old, now)) > 0, len(without(now, old)) > 0
	c.addBoth(at.to(Type, "type"), gone, added, from.keys["type"], to.keys["type"])
}

// valueSet returns the values that enum and const allow, by canonical text, and
// false if all values are allowed.
func (n *normal) valueSet() (map[string]any, bool) {
	var set map[string]any
	if list, ok := n.keys["enum"].([]any); ok {
		set = make(map[string]any, len(list))
		for _, value := range list {
			set[canonical(value)] = value
		}
	}
	value, ok := n.keys["const"]
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
		if _, ok := n.keys["const"]; ok {
			return "const"
		}
		return "enum"
	}
	p := at.to(Values, keyword(to))
	if !limits {
		p = at.to(Values, keyword(from))
	}
	before, after := from.keys[keyword(from)], to.keys[keyword(to)]
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
	strict bool     // the value itself is excluded
}

// tighter reports whether b excludes something that other allows. sign is 1 for
// a lower end and -1 for an upper end.
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
	b := bound{value: jsonschema.Rational(n.keys[inclusive])}
	if e := (bound{jsonschema.Rational(n.keys[exclusive]), true}); e.tighter(b, sign) {
		return e
	}
	return b
}

func (c *comparer) ranges(from, to *normal, at place) {
	c.end(from, to, at, "minimum", "exclusiveMinimum", 1)
	c.end(from, to, at, "maximum", "exclusiveMaximum", -1)
	const keyword = "multipleOf"
	old, now := jsonschema.Rational(from.keys[keyword]), jsonschema.Rational(to.keys[keyword])
	p := at.to(Range, keyword)
	divides := func(a, b *big.Rat) bool { return a.Sign() != 0 && new(big.Rat).Quo(b, a).IsInt() }
	switch {
	case old == nil && now == nil:
	case old == nil:
		c.add(p, Narrowed, nil, to.keys[keyword])
	case now == nil:
		c.add(p, Widened, from.keys[keyword], nil)
	default:
		c.addBoth(p, !divides(now, old), !divides(old, now), from.keys[keyword], to.keys[keyword])
	}
}

func (c *comparer) end(from, to *normal, at place, inclusive, exclusive string, sign int) {
	old, now := from.bound(inclusive, exclusive, sign), to.bound(inclusive, exclusive, sign)
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
	c.addBoth(p, now.tighter(old, sign), old.tighter(now, sign), from.keys[keyword(old)], to.keys[keyword(now)])
}

func (c *comparer) lengths(from, to *normal, at place) {
	for _, what := range []string{"Length", "Items", "Properties"} {
		for keyword, sign := range map[string]int{"min" + what: 1, "max" + what: -1} {
			c.count(from, to, at.to(Length, keyword), keyword, sign)
		}
	}
}

// count compares two bounds on a number of things. A missing minimum is zero.
func (c *comparer) count(from, to *normal, p place, keyword string, sign int) {
	old, now := bound{value: jsonschema.Rational(from.keys[keyword])}, bound{value: jsonschema.Rational(to.keys[keyword])}
	zero := new(big.Rat)
	if sign > 0 && old.value == nil {
		old.value = zero
	}
	if sign > 0 && now.value == nil {
		now.value = zero
	}
	c.addBoth(p, now.tighter(old, sign), old.tighter(now, sign), from.keys[keyword], to.keys[keyword])
}

func (c *comparer) patterns(from, to *normal, at place) {
	c.opaqueText(from, to, at.to(Pattern, "pattern"), "pattern", func(string, string) bool { return false })
}

func (c *comparer) formats(from, to *normal, at place) {
	c.opaqueText(from, to, at.to(Format, "format"), "format", integerFormatWithin)
	content := func(n *normal) map[string]any {
		found := map[string]any{}
		for _, keyword := range []string{"contentEncoding", "contentMediaType", "contentSchema"} {
			if value, ok := n.keys[keyword]; ok {
				found[keyword] = value
			}
		}
		return found
	}
	old, now := content(from), content(to)
	switch names := slices.Sorted(maps.Keys(now)); {
	case c.sameWithoutAnnotations(from.at.doc.at(old), to.at.doc.at(now)):
		if _, has := now["contentSchema"]; has {
			p := at.to(Format, "contentSchema")
			c.down(func() {
				c.matched([][2]branch{{{from.at.doc.at(old["contentSchema"]), p}, {to.at.doc.at(now["contentSchema"]), p}}})
			})
		}
	case len(old) == 0:
		c.add(at.to(Format, names[0]), Narrowed, nil, now)
	case len(now) == 0:
		c.add(at.to(Format, slices.Sorted(maps.Keys(old))[0]), Widened, old, nil)
	default:
		c.unknown(at.to(Format, names[0]), old, now, "two kinds of content cannot be compared")
	}
}

// opaqueText compares a keyword whose values cannot be compared, unless within
// reports that one is within the other.
func (c *comparer) opaqueText(from, to *normal, p place, keyword string, within func(a, b string) bool) {
	if !c.present(from, to, keyword, p) {
		return
	}
	old, now := from.keys[keyword], to.keys[keyword]
	a, _ := old.(string)
	b, _ := now.(string)
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
