package slice

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// requiredSentinel returns a parameter and an error variable for which
// errors.Is must be true to reach block b.
func requiredSentinel(b *ssa.BasicBlock) (param int, sentinel string, ok bool) {
	for v, sentinel := range sentinels(b, true) {
		if p, isParam := v.(*ssa.Parameter); isParam {
			return paramIndex(p), sentinel, true
		}
	}
	return 0, "", false
}

// excludes reports whether errors.Is of a value and an error variable must be
// false to reach block b.
func excludes(v ssa.Value, sentinel string, b *ssa.BasicBlock) bool {
	for each, other := range sentinels(b, false) {
		if each == v && other == sentinel {
			return true
		}
	}
	return false
}

// sentinels yields the values and error variables for which errors.Is has the
// given result on every path to block b.
func sentinels(b *ssa.BasicBlock, result bool) func(func(ssa.Value, string) bool) {
	return func(yield func(ssa.Value, string) bool) {
		for at := b; at.Idom() != nil; at = at.Idom() {
			from := at.Idom()
			for i, next := range branches(from) {
				if len(next.Preds) != 1 || !next.Dominates(b) || (i == 0) != result {
					continue
				}
				if v, sentinel, ok := isTest(from.Instrs[len(from.Instrs)-1].(*ssa.If).Cond); ok && !yield(v, sentinel) {
					return
				}
			}
		}
	}
}

// isTest reads errors.Is(v, pkg.ErrX).
func isTest(cond ssa.Value) (v ssa.Value, sentinel string, ok bool) {
	c, ok := cond.(*ssa.Call)
	if !ok || nameOf(c.Call.StaticCallee()) != (name{pkg: "errors", fn: "Is"}) {
		return nil, "", false
	}
	load, ok := c.Call.Args[1].(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, "", false
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Package() == nil {
		return nil, "", false
	}
	return c.Call.Args[0], g.Package().Pkg.Path() + "." + g.Name(), true
}
