package schema

import "github.com/toolcontract/toolcontract/contract/internal/schemadoc"

// circlesOf returns a number for each node. Two nodes have the same number if
// each leads to the other, so an edge between them is part of a circle. The
// numbers are those of Tarjan's strongly connected components.
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
