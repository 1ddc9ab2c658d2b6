package host

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// emptyEnumValues finds values of enums that are empty texts.
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

// arraysWithoutItems finds arrays whose items have no schema.
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

// recursiveOutput finds the first reference of an output schema that leads back
// to itself.
func recursiveOutput(_ Fact, t tool) []hit {
	const root = "/outputSchema"
	var from, to []string // references and their targets, in the order of from
	for _, n := range t.output.nodes {
		if target, local := strings.CutPrefix(n.text("$ref"), "#"); local {
			from, to = append(from, n.pointer), append(to, root+target)
		}
	}
	sort.Sort(byFirst{from, to})
	const entered, left = 1, 2
	state := map[string]int{}
	var returns func(target string) bool
	returns = func(target string) bool {
		switch state[target] {
		case entered:
			return true
		case left:
			return false
		}
		state[target] = entered
		i, _ := slices.BinarySearch(from, target)
		for ; i < len(from) && strings.HasPrefix(from[i], target); i++ {
			inside := len(from[i]) == len(target) || from[i][len(target)] == '/'
			if inside && returns(to[i]) {
				return true
			}
		}
		state[target] = left
		return false
	}
	for i, target := range to {
		if returns(target) {
			return []hit{{pointer: from[i] + "/$ref"}}
		}
	}
	return nil
}

// byFirst sorts two lists by the first.
type byFirst [2][]string

func (b byFirst) Len() int           { return len(b[0]) }
func (b byFirst) Less(i, j int) bool { return b[0][i] < b[0][j] }
func (b byFirst) Swap(i, j int) {
	b[0][i], b[0][j] = b[0][j], b[0][i]
	b[1][i], b[1][j] = b[1][j], b[1][i]
}
