package observe

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Broken draws a value with exactly one violation: a valid value with one part
// changed. The keyword and the pointer come from the validator, which reports
// some violations inside a choice as violations of the choice itself.
//
// Every schema has broken values, because its root is an object, which a list
// is not.
func (args *Arguments) Broken(from Source) Broken {
	a := args.valid(from)
	d := drawer{args: args, from: from, trace: trace{}}
	for _, at := range rotate(&d, a.trace.pointers()) {
		value, err := strictjson.Lookup(a.value.Tree, at)
		if err != nil {
			continue // it was drawn but not used
		}
		for _, changed := range rotate(&d, d.changes(at, value, a.trace[at])) {
			if b, ok := args.broken(replaceAt(a.value.Tree, at, changed)); ok {
				return b
			}
		}
	}
	return Broken{Value: Value{Tree: []any{}, JSON: []byte("[]")}, Keyword: "type"}
}

// broken judges a changed value. ok is false unless the value has exactly one
// violation.
func (args *Arguments) broken(tree any) (Broken, bool) {
	value, err := valueOf(tree)
	if err != nil {
		return Broken{}, false
	}
	found := args.violations(value)
	if len(found) == 1 && args.judge != nil {
		found = args.judge(value.JSON) // it may read more than the schema accepts
	}
	if len(found) != 1 || !strings.HasPrefix(found[0].Rule, keywordPrefix) {
		return Broken{}, false
	}
	return Broken{Value: value, Keyword: keywordOf(found[0]), Pointer: found[0].Pointer}, true
}

// changes returns values that may break a schema, to replace a value with.
func (d *drawer) changes(at string, value any, s *spec) []any {
	others := []any{"text", int64(7), 0.5, true, nil, []any{}, map[string]any{}}
	switch value := value.(type) {
	case string:
		return append(changedTexts(value, s), others...)
	case bool:
		return append(others, !value)
	case []any:
		return append(d.changedLists(at, value, s), others...)
	case map[string]any:
		return append(d.changedObjects(at, value, s), others...)
	case nil:
		return others
	default:
		return append(changedNumbers(value, s), others...)
	}
}

func changedTexts(text string, s *spec) []any {
	runes := []rune(text)
	all := []any{
		"", "!" + text, text + " ", " " + text, text + "\n", text + "%", text + "x", "[" + text, strings.ToUpper(text), "not a text",
		strings.Repeat("!", max(s.minLength, 1)), strings.Repeat("~", len(runes)),
	}
	all = append(all, s.durations.beyondBounds()...)
	if s.minLength > 0 && len(runes) >= s.minLength {
		all = append(all, string(runes[:s.minLength-1]))
	}
	if missing := s.maxLength + 1 - len(runes); s.maxLength < maxTextLength && len(runes) > 0 {
		last := string(runes[len(runes)-1])
		first := string(runes[0])
		all = append(all, text+strings.Repeat(last, missing), strings.Repeat(first, missing)+text, text+strings.Repeat("a", missing))
	}
	return all
}

// changedNumbers returns numbers near a number, its bounds and the limits of
// its format, and more distant ones with the same divisors.
func changedNumbers(value any, s *spec) []any {
	near := tree.Rational(value)
	low, high := s.integers()
	around := []*big.Rat{near, new(big.Rat).SetInt(low), new(big.Rat).SetInt(high)}
	for _, bound := range []*big.Rat{s.low.value, s.high.value} {
		if bound != nil {
			around = append(around, bound)
		}
	}
	var all []any
	add := func(to, by *big.Rat) {
		all = append(all, decimal(new(big.Rat).Add(to, by)), decimal(new(big.Rat).Sub(to, by)))
	}
	for _, to := range around {
		for _, by := range []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(1, 1000)} {
			add(to, by)
		}
	}
	for by := new(big.Rat).SetInt(s.step()); by.Cmp(big.NewRat(1_000_000_000, 1)) < 0; by = new(big.Rat).Mul(by, big.NewRat(10, 1)) {
		add(near, by)
	}
	return all
}

func (d *drawer) changedLists(at string, items []any, s *spec) []any {
	more := append(slices.Clone(items), d.item(at, s, len(items), maxOptionalDepth))
	all := []any{more}
	if s.minItems > 0 && len(items) >= s.minItems {
		all = append(all, slices.Clone(items[:s.minItems-1]))
	}
	if len(items) == 0 {
		return all
	}
	same := append(slices.Clone(items), items[len(items)-1])
	all = append(all, slices.Concat(items[:1], items[:1], items[min(2, len(items)):]), same)
	if s.maxItems > 1000 {
		return all
	}
	for len(more) <= s.maxItems {
		more = append(more, d.item(at, s, len(more), maxOptionalDepth))
	}
	for len(same) <= s.maxItems {
		same = append(same, items[len(items)-1])
	}
	return append(all, more, same)
}

func (d *drawer) changedObjects(at string, members map[string]any, s *spec) []any {
	var all []any
	for _, name := range slices.Sorted(maps.Keys(members)) {
		all = append(all, without(members, name))
	}
	name := "unknown"
	for _, taken := members[name]; taken; _, taken = members[name] {
		name += "x"
	}
	all = append(all, with(members, name, true), with(members, name, ""))
	names := s.declaredNames()
	if len(s.names) > 0 {
		names = append(names, "", "!", "Unknown 1", strings.Repeat("x", 300))
	}
	for _, name := range names {
		if _, has := members[name]; !has {
			all = append(all, with(members, name, d.value(strictjson.Pointer(at, name), s.member(name), maxOptionalDepth)))
		}
	}
	return all
}

// with returns a copy of an object with one more member.
func with(value any, name string, member any) any {
	members, _ := value.(map[string]any)
	members = maps.Clone(members)
	if members == nil {
		members = map[string]any{}
	}
	members[name] = member
	return members
}

// without returns a copy of an object without one member.
func without(value any, name string) any {
	members, _ := value.(map[string]any)
	members = maps.Clone(members)
	delete(members, name)
	return members
}

// replaceAt returns a copy of a tree with another value at a pointer.
func replaceAt(tree any, at string, value any) any {
	tokens, err := strictjson.SplitPointer(at)
	if err != nil || len(tokens) == 0 {
		return value
	}
	rest := strictjson.Pointer("", tokens[1:]...)
	switch tree := tree.(type) {
	case map[string]any:
		return with(tree, tokens[0], replaceAt(tree[tokens[0]], rest, value))
	case []any:
		items := slices.Clone(tree)
		for i := range items {
			if strconv.Itoa(i) == tokens[0] {
				items[i] = replaceAt(items[i], rest, value)
			}
		}
		return items
	default:
		return tree
	}
}
