package tree

import (
	"maps"
	"slices"
)

// Compose returns a schema that no document holds: each keyword is that of
// another schema, with the subschemas that it holds there. It has no parent and
// no Ref.
func Compose(keywords map[string]*Node) *Node {
	written := make(map[string]any, len(keywords))
	n := &Node{value: written}
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		from := keywords[keyword]
		written[keyword] = from.Value(keyword)
		n.below = append(n.below, from.Below(keyword)...)
	}
	return n
}

// Writing returns a schema that no document holds, with one keyword. It does
// not look for subschemas in the value.
func Writing(keyword string, value any) *Node { return &Node{value: map[string]any{keyword: value}} }
