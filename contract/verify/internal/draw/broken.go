package draw

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// Broken draws a value with exactly one violation: a valid value in which one
// keyword is broken. The keyword and the pointer are those of the validator,
// which reports some violations of a choice by the choice itself.
//
// Every schema has broken values, because its root is an object and a list is
// none.
func (s *Schema) Broken(from Source) Broken {
	a := s.valid(from)
	d := drawer{schema: s, from: from, trace: trace{}}
	faults := a.faults()
	if len(faults) > 0 {
		first := d.index(len(faults))
		for i := range faults {
			if b, ok := d.broken(a.value.Tree, faults[(first+i)%len(faults)]); ok {
				return b
			}
		}
	}
	return Broken{Value: Value{Tree: []any{}, JSON: []byte("[]")}, Keyword: "type"}
}

// A fault is one way to break a value.
type fault struct {
	at      string // the JSON Pointer of the changed value
	spec    *spec
	keyword string
	name    string // the member that is added or removed
}

// faults returns the ways to break a value, in a fixed order.
func (a attempt) faults() []fault {
	var all []fault
	for _, at := range a.trace.pointers() {
		value, err := jsonptr.Lookup(a.value.Tree, at)
		if err != nil {
			continue // it was drawn and not used
		}
		all = append(all, a.trace[at].faults(at, value)...)
	}
	return all
}

func (s *spec) faults(at string, value any) []fault {
	var all []fault
	add := func(broken bool, keyword, name string) {
		if broken {
			all = append(all, fault{at, s, keyword, name})
		}
	}
	add(s.types != nil, "type", "")
	add(s.limited, "enum", "")
	switch value := value.(type) {
	case string:
		length := utf8.RuneCountInString(value)
		add(s.minLength > 0 && !s.limited, "minLength", "")
		add(s.maxLength < longest && length > 0, "maxLength", "")
		add(len(s.patterns) > 0, "pattern", "")
		add(len(s.formats) > 0, "format", "")
	case int64, uint64, float64:
		add(s.low.value != nil, "minimum", "")
		add(s.high.value != nil, "maximum", "")
		add(len(s.multiples) > 0, "multipleOf", "")
		add(len(s.formats) > 0, "format", "")
	case []any:
		add(s.minItems > 0 && len(value) >= s.minItems, "minItems", "")
		add(s.maxItems <= 1000 && len(value) > 0, "maxItems", "")
		add(s.unique && len(value) > 0, "uniqueItems", "")
		add(slices.ContainsFunc(s.lists, func(l *jsonschema.Node) bool { return restOf(l).IsFalse() }), "items", "")
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			needed := slices.Contains(s.required, name) || slices.ContainsFunc(slices.Collect(maps.Values(s.dependent)),
				func(all []string) bool { return slices.Contains(all, name) })
			add(needed, "required", name)
		}
		add(!s.isOpen(), "additionalProperties", unknownName(value))
		add(len(s.names) > 0, "propertyNames", "")
		for _, name := range slices.Sorted(maps.Keys(value)) {
			add(s.minProperties > 0 && !slices.Contains(s.required, name), "minProperties", name)
		}
		for _, name := range s.declared() {
			_, has := value[name]
			add(s.maxProperties <= 100 && !has, "maxProperties", name)
		}
	}
	return all
}

// unknownName returns a name that no member has.
func unknownName(members map[string]any) string {
	name := "unknown"
	for {
		if _, taken := members[name]; !taken {
			return name
		}
		name += "x"
	}
}

// broken breaks a value by a fault. It is not ok if the result has more or
// fewer violations than one.
func (d *drawer) broken(tree any, f fault) (Broken, bool) {
	at, err := jsonptr.Lookup(tree, f.at)
	if err != nil {
		return Broken{}, false
	}
	for _, changed := range d.changes(at, f) {
		value, err := valueOf(Replaced(tree, f.at, changed))
		if err != nil {
			continue
		}
		found := d.schema.violations(value)
		if len(found) == 1 && d.schema.opts.Judge != nil {
			found = d.schema.opts.Judge(value.JSON) // it may read more than the schema accepts
		}
		if len(found) == 1 && strings.HasPrefix(found[0].Rule, keywordPrefix) {
			return Broken{Value: value, Keyword: keywordOf(found[0]), Pointer: found[0].Pointer}, true
		}
	}
	return Broken{}, false
}

// changes returns values that may have the fault, the best first.
func (d *drawer) changes(value any, f fault) []any {
	switch f.keyword {
	case "type":
		return d.otherTypes(f.spec)
	case "enum":
		return otherValues(value)
	case "required", "minProperties":
		return []any{without(value, f.name)}
	case "additionalProperties":
		return []any{with(value, f.name, true), with(value, f.name, "")}
	case "propertyNames":
		return d.misnamed(value, f)
	case "maxProperties":
		return []any{with(value, f.name, d.value(jsonptr.Append(f.at, f.name), f.spec.member(f.name), deepest))}
	}
	switch value := value.(type) {
	case string:
		return brokenTexts(value, f)
	case []any:
		return d.brokenLists(value, f)
	default:
		return brokenNumbers(value, f)
	}
}

// misnamed returns objects with one more member, whose name may be refused.
func (d *drawer) misnamed(value any, f fault) []any {
	var all []any
	for _, name := range []string{"", "!", "Unknown 1", strings.Repeat("x", 300)} {
		all = append(all, with(value, name, d.value(jsonptr.Append(f.at, name), f.spec.member(name), deepest)))
	}
	return all
}

// otherTypes returns values of the types that a spec does not allow.
func (d *drawer) otherTypes(s *spec) []any {
	all := []struct {
		names []string
		value any
	}{
		{[]string{"string"}, "text"},
		{[]string{"integer", "number"}, int64(7)},
		{[]string{"number"}, 0.5},
		{[]string{"boolean"}, true},
		{[]string{"null"}, nil},
		{[]string{"array"}, []any{}},
		{[]string{"object"}, map[string]any{}},
	}
	var others []any
	for _, one := range all {
		if !slices.ContainsFunc(one.names, func(name string) bool { return slices.Contains(s.types, name) }) {
			others = append(others, one.value)
		}
	}
	if len(others) > 0 {
		first := d.index(len(others))
		others = slices.Concat(others[first:], others[:first])
	}
	return others
}

// otherValues returns values of the type of one, which an enum may not have.
func otherValues(value any) []any {
	switch value := value.(type) {
	case string:
		return []any{value + "x", "unknown", strings.ToUpper(value), ""}
	case bool:
		return []any{!value}
	case int64:
		return []any{value / 2, value - 1, int64(987_654_321)}
	case uint64:
		return []any{value - 1, value / 2}
	case float64:
		return []any{value / 2, 0.123}
	case []any:
		return []any{[]any{}, append(slices.Clone(value), nil)}
	case map[string]any:
		return []any{map[string]any{}, with(value, "unknown", true)}
	default:
		return []any{"null"}
	}
}

func brokenTexts(text string, f fault) []any {
	s := f.spec
	switch f.keyword {
	case "minLength":
		short := []rune(text)
		short = short[:min(len(short), s.minLength-1)]
		return []any{string(short)}
	case "maxLength":
		missing := s.maxLength + 1 - utf8.RuneCountInString(text)
		last, _ := utf8.DecodeLastRuneInString(text)
		first, _ := utf8.DecodeRuneInString(text)
		return []any{
			text + strings.Repeat(string(last), missing), strings.Repeat(string(first), missing) + text,
			text + strings.Repeat("a", missing), text + strings.Repeat("0", missing),
		}
	case "pattern":
		var broken []any
		for _, other := range []string{"!" + text, text + " ", " " + text, text + "\n", strings.ToUpper(text),
			strings.Repeat("!", max(s.minLength, 1)), "", strings.Repeat("~", utf8.RuneCountInString(text))} {
			unlike := slices.ContainsFunc(s.patterns, func(p string) bool {
				re, err := jsonschema.Regexp(p)
				return err == nil && !re.MatchString(other)
			})
			if unlike {
				broken = append(broken, other)
			}
		}
		return broken
	default: // format
		return []any{"not a " + s.formats[0], text + " ", " " + text, text + "%", "x" + text, "", "[" + text, "(" + text}
	}
}

func (d *drawer) brokenLists(items []any, f fault) []any {
	s := f.spec
	switch f.keyword {
	case "minItems":
		return []any{slices.Clone(items[:s.minItems-1])}
	case "maxItems":
		more, same := slices.Clone(items), slices.Clone(items)
		for len(same) <= s.maxItems {
			more = append(more, d.item(f.at, s, len(more), deepest))
			same = append(same, items[len(items)-1])
		}
		return []any{more, same}
	case "items":
		longer := slices.Clone(items)
		for i := len(items); ; i++ {
			longer = append(longer, d.item(f.at, s, i, deepest))
			if slices.ContainsFunc(s.lists, func(l *jsonschema.Node) bool {
				return restOf(l).IsFalse() && i >= len(l.Below("prefixItems"))
			}) {
				return []any{longer}
			}
		}
	default: // uniqueItems
		doubled := slices.Clone(items)
		if len(doubled) > 1 {
			doubled[1] = doubled[0]
		}
		return []any{doubled, append(slices.Clone(items), items[len(items)-1])}
	}
}

func brokenNumbers(value any, f fault) []any {
	s := f.spec
	switch f.keyword {
	case "minimum":
		return below(s.low, s.step())
	case "maximum":
		return above(s.high, s.step())
	case "multipleOf":
		near := jsonschema.Rational(value)
		return []any{decimal(new(big.Rat).Add(near, big.NewRat(1, 1))), decimal(new(big.Rat).Sub(near, big.NewRat(1, 1))),
			decimal(new(big.Rat).Add(near, big.NewRat(1, 1000)))}
	default: // an integer format
		low, high := s.integers()
		return []any{treeOf(new(big.Int).Add(high, one)), treeOf(new(big.Int).Sub(low, one))}
	}
}

// below and above return numbers outside a bound: the nearest multiple of step
// first.
func below(b limit, step *big.Int) []any {
	last := ceiling(b)
	last = new(big.Int).Sub(last, one)
	return []any{treeOf(new(big.Int).Mul(quotient(last, step, false), step)), outside(b, -1)}
}

func above(b limit, step *big.Int) []any {
	first := floor(b)
	first = new(big.Int).Add(first, one)
	return []any{treeOf(new(big.Int).Mul(quotient(first, step, true), step)), outside(b, 1)}
}

// outside returns the number beside a bound that may be a fraction.
func outside(b limit, side int64) any {
	if b.exclusive {
		return decimal(b.value)
	}
	return decimal(new(big.Rat).Add(b.value, big.NewRat(side, 2)))
}

// with returns an object with one more member.
func with(value any, name string, member any) any {
	members, _ := value.(map[string]any)
	members = maps.Clone(members)
	if members == nil {
		members = map[string]any{}
	}
	members[name] = member
	return members
}

// without returns an object without a member.
func without(value any, name string) any {
	members, _ := value.(map[string]any)
	members = maps.Clone(members)
	delete(members, name)
	return members
}

// Replaced returns a tree with another value at a pointer.
func Replaced(tree any, at string, value any) any {
	tokens, err := jsonptr.Split(at)
	if err != nil || len(tokens) == 0 {
		return value
	}
	rest := jsonptr.Join(tokens[1:]...)
	switch tree := tree.(type) {
	case map[string]any:
		return with(tree, tokens[0], Replaced(tree[tokens[0]], rest, value))
	case []any:
		items := slices.Clone(tree)
		for i := range items {
			if strconv.Itoa(i) == tokens[0] {
				items[i] = Replaced(items[i], rest, value)
			}
		}
		return items
	default:
		return tree
	}
}
