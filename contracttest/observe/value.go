package observe

import (
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A trace maps each value within a drawn value, by JSON Pointer, to its spec.
type trace map[string]*spec

// parts returns the pointers of the schemas that the values have.
func (t trace) parts() map[string]struct{} {
	all := map[string]struct{}{}
	for _, s := range t {
		for _, n := range s.nodes {
			all[n.Pointer()] = struct{}{}
		}
	}
	return all
}

// pointers returns the pointers of the values, sorted.
func (t trace) pointers() []string { return slices.Sorted(maps.Keys(t)) }

// A drawer draws one value.
type drawer struct {
	args  *Arguments
	from  Source
	trace trace
	plain bool // strings have only characters that people type
}

// maxOptionalDepth is the depth from which on only what is required is drawn.
// Recursive schemas have values of any depth.
const maxOptionalDepth = 5

// maxDepth is the depth at which to give up on a value that requires itself.
const maxDepth = 40

func (d *drawer) coin() bool { return d.from.Uint(1) == 1 }

// index draws an index into a list.
func (d *drawer) index(of int) int {
	if of <= 1 {
		return 0
	}
	return int(d.from.Uint(uint64(of - 1))) //nolint:gosec // it is below of
}

// size draws a number of elements. A range without a size gives its lower end.
func (d *drawer) size(least, most int) int { return least + d.index(most-least+1) }

// rotate returns a list rotated to start at a drawn element.
func rotate[T any](d *drawer, list []T) []T {
	first := d.index(len(list))
	return slices.Concat(list[first:], list[:first])
}

// value draws a value for the schemas that apply to it. It may break them: the
// validator judges it later.
func (d *drawer) value(at string, schemas []*tree.Node, depth int) any {
	s := d.merge(schemas)
	d.trace[at] = s
	if depth > maxDepth || s.never {
		return nil
	}
	if s.limited {
		if len(s.values) == 0 {
			return nil
		}
		return s.values[d.index(len(s.values))]
	}
	if len(s.examples) > 0 && d.index(4) == 3 {
		return s.examples[d.index(len(s.examples))]
	}
	switch d.kind(s, depth) {
	case "boolean":
		return d.coin()
	case "integer":
		return d.integer(s)
	case "number":
		return d.number(s)
	case "string":
		return d.text(s)
	case "array":
		return d.array(at, s, depth)
	case "object":
		return d.object(at, s, depth)
	default:
		return nil
	}
}

// kind draws a value's type. A schema without a type is drawn by its other
// keywords first.
func (d *drawer) kind(s *spec, depth int) string {
	types := s.types
	if types == nil {
		types = s.likely()
		if depth >= maxOptionalDepth {
			types = types[:1]
		}
	}
	if len(types) == 0 {
		return "null"
	}
	return types[d.index(len(types))]
}

// likely returns the types that the keywords of an untyped schema are about, or
// else all types.
func (s *spec) likely() []string {
	var types []string
	for _, hint := range []struct {
		name string
		is   bool
	}{
		{"object", len(s.objects)+len(s.required)+s.minProperties+len(s.names)+len(s.dependent) > 0 || s.maxProperties != unlimited},
		{"array", len(s.lists)+len(s.contained)+s.minItems > 0 || s.unique || s.maxItems != unlimited},
		{"string", len(s.patterns)+len(s.formats)+s.minLength > 0 || s.maxLength != unlimited},
		{"number", s.low.value != nil || s.high.value != nil || len(s.multiples) > 0},
	} {
		if hint.is {
			types = append(types, hint.name)
		}
	}
	if types == nil {
		types = []string{"string", "integer", "boolean", "number", "null", "array", "object"}
	}
	return types
}

// array draws an array.
func (d *drawer) array(at string, s *spec, depth int) any {
	least, most := s.minItems, s.maxItems
	for _, c := range s.contained {
		least = max(least, size(c, "minContains", 1))
	}
	for _, l := range s.lists {
		if restOf(l).IsFalse() {
			most = min(most, len(l.Below("prefixItems")))
		}
	}
	most = max(least, min(most, least+6))
	if depth >= maxOptionalDepth {
		most = least
	}
	if s.unique {
		return d.distinct(at, s, least, most, depth)
	}
	items := []any{}
	d.from.List(least, most, func(from Source) {
		inner := *d
		inner.from = from
		items = append(items, inner.item(at, s, len(items), depth))
	})
	return items
}

// distinct draws an array whose items all differ.
func (d *drawer) distinct(at string, s *spec, least, most, depth int) any {
	items, seen := []any{}, map[string]bool{}
	for i := range d.size(least, most) {
		item := d.item(at, s, i, depth)
		fresh := true
		for range tries {
			text := textOf(item)
			if fresh = !seen[text]; fresh {
				seen[text] = true
				break
			}
			item = d.item(at, s, i, depth)
		}
		if !fresh && len(items) >= least {
			break
		}
		items = append(items, item)
	}
	return items
}

// item draws an item of an array.
func (d *drawer) item(at string, s *spec, i, depth int) any {
	schemas := []*tree.Node{}
	for _, l := range s.lists {
		if prefix := l.Below("prefixItems"); i < len(prefix) {
			schemas = append(schemas, prefix[i])
		} else if rest := restOf(l); rest != nil {
			schemas = append(schemas, rest)
		}
	}
	for _, c := range s.contained {
		if i < size(c, "minContains", 1) {
			schemas = append(schemas, c.Child("contains", ""))
		}
	}
	return d.value(strictjson.PointerIndex(at, i), schemas, depth+1)
}
