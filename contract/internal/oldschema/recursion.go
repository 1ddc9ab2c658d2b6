package oldschema

import (
	"fmt"
)

// maxUnfolded bounds how many schemas may be applied to one value, and what is in it, where nothing recurs.
const maxUnfolded = 10_000

// A validator cannot be interrupted, so a schema is refused unless the work that it asks for is linear in the value:
//
//   - a circle that never descends into the value has no end;
//   - a circle through anyOf, oneOf, not, if or dependentSchemas tries alternatives at each level, and the work may
//     double with each;
//   - a schema that applies its own circle twice to one value doubles it in any case.
//
// Circles through properties and items do none of this.

// branching are the keywords that apply a schema to the same value without demanding that it holds.
var branching = map[string]bool{
	"anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true, "dependentSchemas": true,
}

// inPlace reports whether a keyword applies its schema to the value itself, not to a part of it.
func inPlace(keyword string) bool {
	return branching[keyword] || keyword == "allOf" || keyword == "$ref"
}

// overlapGroup names the group of keywords whose schemas are never applied to the same part of a value, or "" for one
// that overlaps with all.
func overlapGroup(e edge) string {
	switch e.keyword {
	case "properties", "additionalProperties", "unevaluatedProperties":
		return "properties"
	case "items", "prefixItems", "unevaluatedItems":
		return "items"
	case "contains", "propertyNames", "contentSchema":
		return e.keyword
	default:
		return e.keyword + " " + e.name
	}
}

// checkRecursion reports the schemas whose checking has no useful bound.
func (g *graph) checkRecursion() []Problem {
	circles := g.circles()
	var problems []Problem
	for _, n := range g.order {
		if problem := checkCircle(n, circles); problem != nil {
			problems = append(problems, *problem)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	if g.endless(circles) {
		return []Problem{{
			Rule: RuleRecursion, Message: "a schema refers to itself without going into the value",
			Remedy: "let the circle pass through properties or items",
		}}
	}
	known := map[*node]int{}
	for _, n := range g.order {
		if unfold(n, circles, known) > maxUnfolded {
			return []Problem{{
				Rule: RuleRecursion, Field: n.pointer,
				Message: fmt.Sprintf("applies more than %d schemas to one value", maxUnfolded),
				Remedy:  "refer less often to schemas that refer to others through anyOf, oneOf, allOf or patternProperties",
			}}
		}
	}
	return nil
}

// checkCircle looks at the edges of n that stay within n's own circle.
func checkCircle(n *node, circles map[*node]int) *Problem {
	groups := map[string]bool{}
	for _, e := range n.edges {
		if circles[n] != circles[e.to] {
			continue
		}
		if branching[e.keyword] {
			return &Problem{
				Rule: RuleRecursion, Field: n.pointer, Message: "reaches itself through " + e.keyword,
				Remedy: "let the circle pass through properties or items only; leave an optional member out instead of allowing null",
			}
		}
		groups[overlapGroup(e)] = true
	}
	// An object's members and an array's items are never one value's: the two groups may both recur.
	if len(groups) > 2 || len(groups) == 2 && !(groups["properties"] && groups["items"]) {
		return &Problem{
			Rule: RuleRecursion, Field: n.pointer, Message: "applies itself more than once to the same part of a value",
			Remedy: "refer to it from one keyword only",
		}
	}
	return nil
}

// endless reports whether edges that stay at one value form a circle.
func (g *graph) endless(circles map[*node]int) bool {
	for _, start := range g.order {
		seen := map[*node]bool{start: true}
		for at := start; at != nil; {
			next := stays(at, circles)
			if next != nil && seen[next] {
				return true
			}
			if next != nil {
				seen[next] = true
			}
			at = next
		}
	}
	return false
}

// stays returns the node of n's circle that n applies to the same value, if there is one. checkCircle has made sure
// that there is at most one.
func stays(n *node, circles map[*node]int) *node {
	for _, e := range n.edges {
		if circles[n] == circles[e.to] && inPlace(e.keyword) {
			return e.to
		}
	}
	return nil
}

// unfold counts the schemas that n applies to one value and to one path into it, circles counted once.
func unfold(n *node, circles map[*node]int, known map[*node]int) int {
	if count, ok := known[n]; ok {
		return count
	}
	known[n] = 1
	groups := map[string]int{}
	for _, e := range n.edges {
		if circles[n] == circles[e.to] {
			continue
		}
		count := unfold(e.to, circles, known)
		if group := overlapGroup(e); inPlace(e.keyword) {
			groups[group] += count
		} else {
			groups[group] = max(groups[group], count)
		}
	}
	total := 1
	for _, count := range groups {
		total = min(total+count, maxUnfolded+1)
	}
	known[n] = total
	return total
}

// circles numbers the nodes so that two have the same number where each leads to the other: Tarjan's strongly connected
// components. An edge between two nodes of one number is part of a circle.
func (g *graph) circles() map[*node]int {
	t := tarjan{index: map[*node]int{}, low: map[*node]int{}, circle: map[*node]int{}}
	for _, n := range g.order {
		if _, visited := t.index[n]; !visited {
			t.visit(n)
		}
	}
	return t.circle
}

type tarjan struct {
	index, low, circle map[*node]int
	stack              []*node
}

func (t *tarjan) visit(n *node) {
	t.index[n] = len(t.index)
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	for _, e := range n.edges {
		if _, visited := t.index[e.to]; !visited {
			t.visit(e.to)
			t.low[n] = min(t.low[n], t.low[e.to])
		} else if _, done := t.circle[e.to]; !done {
			t.low[n] = min(t.low[n], t.index[e.to])
		}
	}
	if t.low[n] != t.index[n] {
		return
	}
	for {
		last := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.circle[last] = t.index[n]
		if last == n {
			return
		}
	}
}
