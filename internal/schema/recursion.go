package schema

import (
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// maxUnfolded caps the number of schemas that may apply to one value, and to
// one path into it, recursion aside.
const maxUnfolded = 10_000

// The validator can't be interrupted, so a schema is refused unless its work is
// linear in the size of the value:
//
//   - a circle of schemas that never descends into the value doesn't end;
//   - a circle through anyOf, oneOf, not, if or dependentSchemas tries
//     alternatives at each level, so the work may double with each level;
//   - a schema that applies its own circle twice to one value doubles the work
//     at each level.
//
// Circles through properties and items are accepted.

// isBranching reports whether a keyword applies schemas to the same value that
// may fail even though the value is valid.
func isBranching(keyword string) bool {
	return tree.AppliesInPlace(keyword) && keyword != "allOf" && keyword != "$ref"
}

// overlapGroup returns the group of an edge. Edges of one group never apply to
// the same part of a value.
func overlapGroup(e tree.Edge) string {
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

// checkRecursion reports schemas whose validation has no useful bound.
func checkRecursion(document *tree.Document) []Problem {
	if isTree(document) && len(document.All) <= maxUnfolded {
		return nil
	}
	circles := circlesOf(document)
	var problems []Problem
	for _, n := range document.All {
		if problem := checkCircle(n, circles); problem != nil && len(problems) < maxProblems {
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
	u := unfolding{circles: circles, known: make([]int, len(document.All))}
	for _, n := range document.All {
		if u.count(n) > maxUnfolded {
			return []Problem{{
				Rule: RuleRecursion, Field: n.Pointer(),
				Message: fmt.Sprintf("applies more than %d schemas to one value", maxUnfolded),
				Remedy:  "refer less often to schemas that refer to others through anyOf, oneOf, allOf or patternProperties",
			}}
		}
	}
	return nil
}

// isTree reports whether no schema has a reference. Such a document has no
// circles, and each of its schemas applies at most once.
func isTree(document *tree.Document) bool {
	return !slices.ContainsFunc(document.All, func(n *tree.Node) bool { return n.Ref != nil })
}

// checkCircle checks the edges of n that stay within its own circle.
func checkCircle(n *tree.Node, circles circles) *Problem {
	groups := map[string]bool{}
	for e := range n.Edges() {
		if !circles.share(n, e.To) {
			continue
		}
		if isBranching(e.Keyword) {
			return &Problem{
				Rule: RuleRecursion, Field: n.Pointer(), Message: "reaches itself through " + e.Keyword,
				Remedy: "let the circle pass through properties or items only; leave an optional member out instead of allowing null",
			}
		}
		groups[overlapGroup(e)] = true
	}
	// No value has both members and items, so both groups may recur.
	if len(groups) > 2 || len(groups) == 2 && !(groups["properties"] && groups["items"]) {
		return &Problem{
			Rule: RuleRecursion, Field: n.Pointer(), Message: "applies itself more than once to the same part of a value",
			Remedy: "refer to it from one keyword only",
		}
	}
	return nil
}

// isEndless reports whether schemas that apply to the same value form a circle.
func isEndless(document *tree.Document, circles circles) bool {
	reached := make([]*tree.Node, len(document.All)) // for each schema, where the search that reached it began
	for _, start := range document.All {
		at := start
		for at != nil && reached[at.Index()] == nil {
			reached[at.Index()] = start
			at = inPlace(at, circles)
		}
		if at != nil && reached[at.Index()] == start {
			return true
		}
	}
	return false
}

// inPlace returns the node of its circle that n applies to the same value, or
// nil. checkCircle ensures that there is at most one.
func inPlace(n *tree.Node, circles circles) *tree.Node {
	for e := range n.Edges() {
		if circles.share(n, e.To) && tree.AppliesInPlace(e.Keyword) {
			return e.To
		}
	}
	return nil
}

// An unfolding counts how many schemas each schema applies to one value and to
// one path into it. It counts a circle once.
type unfolding struct {
	circles circles
	known   []int // by index; 0: not computed yet
}

func (u *unfolding) count(n *tree.Node) int {
	if known := u.known[n.Index()]; known != 0 {
		return known
	}
	u.known[n.Index()] = 1
	groups := map[string]int{}
	for e := range n.Edges() {
		if u.circles.share(n, e.To) {
			continue
		}
		count := u.count(e.To)
		if group := overlapGroup(e); tree.AppliesInPlace(e.Keyword) {
			groups[group] += count
		} else {
			groups[group] = max(groups[group], count)
		}
	}
	total := 1
	for _, count := range groups {
		total = min(total+count, maxUnfolded+1)
	}
	u.known[n.Index()] = total
	return total
}
