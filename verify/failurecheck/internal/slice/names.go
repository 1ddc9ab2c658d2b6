package slice

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ContractPath is the package whose functions this package knows.
const ContractPath = "github.com/toolcontract/toolcontract/contract"

// A name identifies a function or a method.
type name struct{ pkg, recv, fn string }

// nameOf returns a function's name as it was declared, so without type
// arguments.
func nameOf(fn *ssa.Function) name {
	if fn == nil {
		return name{}
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return name{fn: fn.Name()}
	}
	return nameOfObject(obj)
}

func nameOfObject(obj *types.Func) name {
	n := name{pkg: obj.Pkg().Path(), fn: obj.Name()}
	if recv := obj.Signature().Recv(); recv != nil {
		n.recv = typeName(recv.Type()).fn
	}
	return n
}

// typeName returns the name of a named type, or of the type that a pointer
// points to.
func typeName(t types.Type) name {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return name{}
	}
	out := name{fn: n.Obj().Name()}
	if n.Obj().Pkg() != nil {
		out.pkg = n.Obj().Pkg().Path()
	}
	return out
}

func (n name) String() string {
	if n.recv != "" {
		return n.recv + "." + n.fn
	}
	if n.pkg == "" {
		return n.fn
	}
	return n.pkg + "." + n.fn
}

// isFailure and isError report whether t is *contract.Failure or
// *contract.Error.
func isFailure(t types.Type) bool { return typeName(t) == name{pkg: ContractPath, fn: "Failure"} }
func isError(t types.Type) bool   { return typeName(t) == name{pkg: ContractPath, fn: "Error"} }

var errorType = types.Universe.Lookup("error").Type()

// errorResult returns the index of a signature's error result, or false if
// there is none.
func errorResult(sig *types.Signature) (int, bool) {
	last := sig.Results().Len() - 1
	if last < 0 {
		return 0, false
	}
	t := sig.Results().At(last).Type()
	return last, types.Identical(t, errorType) || isFailure(t) || isError(t)
}

// TypeName returns the import path and name of a named type, or of the type
// that a pointer points to.
func TypeName(t types.Type) string { return typeName(t).String() }

// IsFailure reports whether a package variable is a *contract.Failure.
func IsFailure(g *ssa.Global) bool { return isFailure(elem(g.Type())) }
