package tree

import (
	"maps"
	"slices"
)

// A Rename returns the new name of a keyword, or "" to leave it out.
type Rename func(n *Node, keyword string, value any) string

// Tree returns the document as a value of strictjson's types, with keywords
// renamed. It shares all unchanged parts with the document, so the caller must
// not change it.
func (d *Document) Tree(rename Rename) any { return d.renamed(rename).values[0] }

// Without returns a copy of the document without the dropped keywords. The copy
// still has the schemas these keywords held, and references still lead to them.
func (d *Document) Without(dropped func(n *Node, keyword string) bool) *Document {
	trees := d.renamed(func(n *Node, keyword string, _ any) string {
		if dropped(n, keyword) {
			return ""
		}
		return keyword
	})
	c := &Document{All: make([]*Node, len(d.All)), anchors: make(map[string]*Node, len(d.anchors))}
	for i := range d.All {
		c.All[i] = &Node{}
	}
	counterpart := func(n *Node) *Node {
		if n == nil {
			return nil
		}
		return c.All[n.index]
	}
	for i, n := range d.All {
		below := make([]*Node, len(n.below))
		for j, b := range n.below {
			below[j] = counterpart(b)
		}
		*c.All[i] = Node{
			parent: counterpart(n.parent), step: n.step, value: trees.values[i], below: below, Ref: counterpart(n.Ref), index: n.index,
		}
	}
	for anchor, n := range d.anchors {
		c.anchors[anchor] = counterpart(n)
	}
	c.Root = c.All[0]
	return c
}

// trees holds the values of all schemas of a document, some of them changed.
type trees struct {
	values  []any
	changed []bool
}

func (d *Document) renamed(rename Rename) trees {
	t := trees{make([]any, len(d.All)), make([]bool, len(d.All))}
	for i, n := range slices.Backward(d.All) { // subschemas before their parents
		t.values[i] = n.value
		written, _ := n.value.(map[string]any)
		if copied := t.rename(n, written, rename); copied != nil {
			t.values[i], t.changed[i] = copied, true
		}
	}
	return t
}

// rename returns a schema's keywords after renaming, or nil if nothing changes.
func (t trees) rename(n *Node, written map[string]any, rename Rename) map[string]any {
	var copied map[string]any
	for keyword, value := range written {
		to := rename(n, keyword, value)
		if to == keyword && !t.changes(n.Below(keyword)) {
			continue
		}
		if copied == nil {
			copied = maps.Clone(written)
		}
		delete(copied, keyword)
		if to != "" {
			copied[to] = t.keywordValue(n, keyword, value)
		}
	}
	return copied
}

func (t trees) changes(schemas []*Node) bool {
	return slices.ContainsFunc(schemas, func(n *Node) bool { return t.changed[n.index] })
}

// keywordValue returns the value of a keyword with its subschemas renamed.
func (t trees) keywordValue(n *Node, keyword string, value any) any {
	below := n.Below(keyword)
	switch {
	case !t.changes(below):
		return value
	case holdsOneSchema(keyword):
		return t.values[below[0].index]
	case holdsSchemas(keyword):
		list := make([]any, len(below))
		for i, b := range below {
			list[i] = t.values[b.index]
		}
		return list
	default:
		members := make(map[string]any, len(below))
		for _, b := range below {
			members[b.step.Name] = t.values[b.index]
		}
		return members
	}
}
