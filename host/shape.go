package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// emptyEnumValues finds enums that have an empty text as a value.
func emptyEnumValues(_ Fact, t tool) []hit {
	var all []hit
	for _, n := range t.input.nodes {
		values, _ := n.object()["enum"].([]any)
		for i, value := range values {
			all = append(all, when(value == "", fmt.Sprintf("%s/enum/%d", n.pointer, i), "")...)
		}
	}
	return all
}

// arraysWithoutItems finds arrays without a schema for their items.
func arraysWithoutItems(_ Fact, t tool) []hit {
	var all []hit
	for _, n := range t.input.nodes {
		is := n.text("type") == "array" && n.object()["items"] == nil && n.object()["prefixItems"] == nil
		all = append(all, when(is, n.pointer, "")...)
	}
	return all
}

// typing lists the keywords that say what a value may be.
const typing = "$ref $dynamicRef allOf anyOf const enum oneOf type"

// untypedProperties finds arguments whose schema does not say what they are.
func untypedProperties(_ Fact, t tool) []hit {
	properties, _ := t.input.root()["properties"].(map[string]any)
	var all []hit
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		s, is := properties[name].(map[string]any)
		typed := slices.ContainsFunc(slices.Collect(maps.Keys(s)), func(keyword string) bool { return oneOf(keyword, typing) })
		all = append(all, when(is && !typed, join("/inputSchema/properties", name), "")...)
	}
	return all
}

// A reference is one of a schema to a part of the same schema, as pointers.
type reference struct{ from, to string }

// recursiveOutput finds the first reference of an output schema that leads back
// to itself.
func recursiveOutput(_ Fact, t tool) []hit {
	var all []reference
	for _, n := range t.output.nodes {
		if target, local := strings.CutPrefix(n.text("$ref"), "#"); local {
			all = append(all, reference{n.pointer, "/outputSchema" + target})
		}
	}
	slices.SortFunc(all, func(a, b reference) int { return strings.Compare(a.from, b.from) })
	isOpen := map[string]bool{} // of each target that was entered, whether it is not left yet
	var returns func(target string) bool
	returns = func(target string) bool {
		if open, entered := isOpen[target]; entered {
			return open
		}
		isOpen[target] = true
		first, _ := slices.BinarySearchFunc(all, target, func(r reference, at string) int { return strings.Compare(r.from, at) })
		for _, r := range all[first:] {
			below, ok := strings.CutPrefix(r.from, target)
			if !ok {
				break
			}
			if (below == "" || below[0] == '/') && returns(r.to) {
				return true
			}
		}
		isOpen[target] = false
		return false
	}
	for _, r := range all {
		if returns(r.to) {
			return []hit{{pointer: r.from + "/$ref"}}
		}
	}
	return nil
}
