package slice

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions returns a package's functions that have a body, including function
// literals, in source order.
func Functions(pkg *ssa.Package) []*ssa.Function {
	var all []*ssa.Function
	var add func(*ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || !HasBody(fn) {
			return
		}
		all = append(all, fn)
		for _, literal := range fn.AnonFuncs {
			add(literal)
		}
	}
	for _, member := range pkg.Members {
		switch m := member.(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			named, ok := types.Unalias(m.Type()).(*types.Named)
			if !ok || m.Object().(*types.TypeName).IsAlias() {
				continue
			}
			for method := range named.Methods() {
				add(pkg.Prog.FuncValue(method))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *ssa.Function) int {
		if a.Pos() != b.Pos() {
			return int(a.Pos() - b.Pos())
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return all
}
