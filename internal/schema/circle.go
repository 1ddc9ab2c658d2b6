package schema

import "github.com/toolcontract/toolcontract/internal/schema/tree"

// circlesOf assigns each schema a number, by its index. Two schemas have the
// same number if each leads to the other, so an edge between them is part of a
// circle. The numbers are those of Tarjan's strongly connected components.
func circlesOf(document *tree.Document) circles {
	size := len(document.All)
	t := tarjan{visited: make([]int, size), low: make([]int, size), circle: make(circles, size)}
	for _, n := range document.All {
		if t.visited[n.Index()] == 0 {
			t.visit(n)
		}
	}
	return t.circle
}

type circles []int

// share reports whether two schemas are in the same circle.
func (c circles) share(a, b *tree.Node) bool { return c[a.Index()] == c[b.Index()] }

type tarjan struct {
	visited []int // visiting order, from 1; 0: not visited yet
	low     []int
	circle  circles // 0: not assigned yet
	count   int
	stack   []*tree.Node
}

func (t *tarjan) visit(n *tree.Node) {
	index := n.Index()
	t.count++
	t.visited[index], t.low[index] = t.count, t.count
	t.stack = append(t.stack, n)
	for e := range n.Edges() {
		if to := e.To.Index(); t.visited[to] == 0 {
			t.visit(e.To)
			t.low[index] = min(t.low[index], t.low[to])
		} else if t.circle[to] == 0 {
			t.low[index] = min(t.low[index], t.visited[to])
		}
	}
	if t.low[index] != t.visited[index] {
		return
	}
	for {
		last := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.circle[last.Index()] = t.visited[index]
		if last == n {
			return
		}
	}
}
