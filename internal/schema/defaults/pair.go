package defaults

import (
	"strconv"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// maxPairs bounds the pairs of one document. Most documents have one pair for
// each schema; a hostile one could have the square of that.
const maxPairs = 100_000

// A pair has two schemas that apply to the same value. The members of the value
// get the defaults of filled, and by may refuse them. A schema also makes a
// pair with itself.
type pair struct{ filled, by *tree.Node }

// findPairs returns the pairs of the document, those of a value before those of
// its members. ok is false if there are more than maxPairs, or if there is not
// enough work left.
func (c *checker) findPairs() (all []pair, ok bool) {
	root := pair{c.document.Root, c.document.Root}
	seen := map[pair]bool{root: true}
	for waiting := []pair{root}; len(waiting) > 0; waiting = waiting[1:] {
		if len(seen) > maxPairs || c.isSpent() {
			return nil, false
		}
		p := waiting[0]
		all = append(all, p)
		next(p.filled, func(e tree.Edge) {
			for _, by := range c.meets(p, e) {
				if below := (pair{e.To, by}); !seen[below] {
					seen[below] = true
					waiting = append(waiting, below)
				}
			}
		}, func(tree.Edge) {})
	}
	return all, !c.isSpent()
}

// meets follows an edge of p.filled to a member or an item. It returns the
// schemas that p.by applies to the same member or item.
func (c *checker) meets(p pair, e tree.Edge) []*tree.Node {
	if e.Keyword == "properties" {
		values, _ := c.toMember(p.by, e.Name)
		return values
	}
	by := c.together(p.by)
	if !c.spend(by.edges) {
		return nil
	}
	var values []*tree.Node
	for _, link := range by.links {
		for other := range link.Edges() {
			if e.Keyword == "items" && isItem(other, p.filled) || e.Keyword == "additionalProperties" && isOther(other, p.filled) {
				values = append(values, other.To)
			}
		}
	}
	return values
}

// isItem reports whether an edge leads to an item to which the keyword items of
// n can apply.
func isItem(e tree.Edge, n *tree.Node) bool {
	switch e.Keyword {
	case "items":
		return true
	case "prefixItems":
		index, err := strconv.Atoi(e.Name)
		return err == nil && index >= prefix(n)
	default:
		return false
	}
}

// isOther reports whether an edge leads to a member to which the keyword
// additionalProperties of n can apply.
func isOther(e tree.Edge, n *tree.Node) bool {
	switch e.Keyword {
	case "properties":
		return n.Child("properties", e.Name) == nil
	case "patternProperties", "additionalProperties":
		return true
	default:
		return false
	}
}
