package schema

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
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

// isBranching reports whether a keyword applies a schema to the same value
// without demanding that it holds.
func isBranching(keyword string) bool {
	return schemadoc.InPlace(keyword) && keyword != "allOf" && keyword != "$ref"
}

// overlapGroup names the group of keywords whose schemas are never applied to the same part of a value, or "" for one
// that overlaps with all.
func overlapGroup(e schemadoc.Edge) string {
	switch e.Keyword {
	case "properties", "additionalProperties", "unevaluatedProperties":
		return "properties"
	case "items", "prefixItems", "unevaluatedItems":
		return "items"
	case "contains", "propertyNames", "contentSchema":
		return e.Keyword
	default:
		return e.Keyword + " " + e.Name
	}
}

// checkRecursion reports the schemas whose checking has no useful bound.
func checkRecursion(document *schemadoc.Document) []Problem {
	circles := circlesOf(document)
	var problems []Problem
	for _, n := range document.All {
		if problem := checkCircle(n, circles); problem != nil {
			problems = append(problems, *problem)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	if isEndless(document, circles) {
		return []Problem{{
			Rule: RuleRecursion, Message: "a schema refers to itself without going into the value",
			Remedy: "let the circle pass through properties or items",
		}}
	}
	known := map[*schemadoc.Node]int{}
	for _, n := range document.All {
		if unfold(n, circles, known) > maxUnfolded {
			return []Problem{{
				Rule: RuleRecursion, Field: n.Pointer,
				Message: fmt.Sprintf("applies more than %d schemas to one value", maxUnfolded),
				Remedy:  "refer less often to schemas that refer to others through anyOf, oneOf, allOf or patternProperties",
			}}
		}
	}
	return nil
}

// checkCircle looks at the subschema.Edges of n that stay within n's own circle.
func checkCircle(n *schemadoc.Node, circles map[*schemadoc.Node]int) *Problem {
	groups := map[string]bool{}
	for _, e := range n.Edges {
		if circles[n] != circles[e.To] {
			continue
		}
		if isBranching(e.Keyword) {
			return &Problem{
				Rule: RuleRecursion, Field: n.Pointer, Message: "reaches itself through " + e.Keyword,
				Remedy: "let the circle pass through properties or items only; leave an optional member out instead of allowing null",
			}
		}
		groups[overlapGroup(e)] = true
	}
	// An object's members and an array's items are never one value's: the two groups may both recur.
	if len(groups) > 2 || len(groups) == 2 && !(groups["properties"] && groups["items"]) {
		return &Problem{
			Rule: RuleRecursion, Field: n.Pointer, Message: "applies itself more than once to the same part of a value",
			Remedy: "refer to it from one keyword only",
		}
	}
	return nil
}

// isEndless reports whether edges that stay at one value form a circle.
func isEndless(document *schemadoc.Document, circles map[*schemadoc.Node]int) bool {
	for _, start := range document.All {
		seen := map[*schemadoc.Node]bool{start: true}
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
func stays(n *schemadoc.Node, circles map[*schemadoc.Node]int) *schemadoc.Node {
	for _, e := range n.Edges {
		if circles[n] == circles[e.To] && schemadoc.InPlace(e.Keyword) {
			return e.To
		}
	}
	return nil
}

// unfold counts the schemas that n applies to one value and to one path into it, circles counted once.
func unfold(n *schemadoc.Node, circles map[*schemadoc.Node]int, known map[*schemadoc.Node]int) int {
	if count, ok := known[n]; ok {
		return count
	}
	known[n] = 1
	groups := map[string]int{}
	for _, e := range n.Edges {
		if circles[n] == circles[e.To] {
			continue
		}
		count := unfold(e.To, circles, known)
		if group := overlapGroup(e); schemadoc.InPlace(e.Keyword) {
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

// circlesOf numbers the nodes so that two have the same number where each leads to the other: Tarjan's strongly connected
// components. An edge between two nodes of one number is part of a circle.
func circlesOf(document *schemadoc.Document) map[*schemadoc.Node]int {
	t := tarjan{index: map[*schemadoc.Node]int{}, low: map[*schemadoc.Node]int{}, circle: map[*schemadoc.Node]int{}}
	for _, n := range document.All {
		if _, visited := t.index[n]; !visited {
			t.visit(n)
		}
	}
	return t.circle
}

type tarjan struct {
	index, low, circle map[*schemadoc.Node]int
	stack              []*schemadoc.Node
}

func (t *tarjan) visit(n *schemadoc.Node) {
	t.index[n] = len(t.index)
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	for _, e := range n.Edges {
		if _, visited := t.index[e.To]; !visited {
			t.visit(e.To)
			t.low[n] = min(t.low[n], t.low[e.To])
		} else if _, done := t.circle[e.To]; !done {
			t.low[n] = min(t.low[n], t.index[e.To])
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
