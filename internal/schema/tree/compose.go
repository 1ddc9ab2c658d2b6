package tree

import (
	"maps"
	"slices"
)

// Compose returns a schema outside any document. Each keyword, together with
// its subschemas, comes from another schema. The result has no parent and no
// Ref.
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

// Writing returns a schema outside any document, with a single keyword. It
// doesn't look for subschemas in the value.
func Writing(keyword string, value any) *Node { return &Node{value: map[string]any{keyword: value}} }
