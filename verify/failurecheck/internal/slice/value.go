package slice

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An evaluation follows the values of one function.
type evaluation struct {
	slicer *Slicer
	seen   map[visit]bool
	masks  map[ssa.Value][]Mask
	steps  int
}

func (s *Slicer) evaluation() *evaluation {
	return &evaluation{slicer: s, seen: map[visit]bool{}, masks: map[ssa.Value][]Mask{}}
}

// maxSteps caps an evaluation, because a function can have exponentially many
// paths.
const maxSteps = 20_000

// A visit is a value on the way to one block. Loops come back to it.
type visit struct {
	value ssa.Value
	block *ssa.BasicBlock
}

// value returns the errors that v can be when block b is reached.
func (e *evaluation) value(v ssa.Value, b *ssa.BasicBlock) *Summary {
	at := visit{v, b}
	if e.seen[at] {
		return newSummary() // its errors are already counted
	}
	if e.steps++; e.steps > maxSteps {
		out := newSummary()
		out.unknown(v.Parent().Pos(), "a function with too many ways through it")
		return out
	}
	e.seen[at] = true
	defer delete(e.seen, at)
	return e.reaching(v, b).apply(e.origin(v, b))
}

// origin returns the errors that v can be, regardless of conditions.
func (e *evaluation) origin(v ssa.Value, b *ssa.BasicBlock) *Summary {
	out := newSummary()
	switch v := v.(type) {
	case *ssa.Const: // nil
	case *ssa.MakeInterface:
		return e.concrete(v, b)
	case *ssa.ChangeInterface:
		return e.value(v.X, b)
	case *ssa.ChangeType:
		return e.value(v.X, b)
	case *ssa.TypeAssert:
		return e.assertion(v, b)
	case *ssa.Phi:
		for i, edge := range v.Edges {
			from := v.Block().Preds[i]
			out.Add(e.edge(edge, from, v.Block()).apply(e.value(edge, from)))
		}
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return e.call(tuple, v.Index)
		case *ssa.TypeAssert:
			return e.assertion(tuple, b)
		default:
			out.unknown(v.Pos(), "a value of a map or a channel")
		}
	case *ssa.Call:
		return e.call(v, 0)
	case *ssa.UnOp:
		return e.load(v)
	case *ssa.Parameter:
		out.flow(flow{paramIndex(v), itself, everything()})
	case *ssa.FreeVar:
		return e.capture(v)
	default:
		out.unknown(v.Pos(), "a value that is not followed")
	}
	return out
}

func paramIndex(p *ssa.Parameter) int {
	for i, each := range p.Parent().Params {
		if each == p {
			return i
		}
	}
	return 0
}

// concrete returns the errors of a value that is converted to an interface.
func (e *evaluation) concrete(v *ssa.MakeInterface, b *ssa.BasicBlock) *Summary {
	t := v.X.Type()
	if isFailure(t) || isError(t) {
		return e.value(v.X, b)
	}
	out := newSummary()
	for _, method := range []string{"Unwrap", "As"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, method); obj != nil {
			out.unknown(v.Pos(), "an error of the type "+typeName(t).fn+", which has a method "+method)
			return out
		}
	}
	out.plain(v.Pos(), "an error of the type "+typeName(t).fn)
	return out
}

// assertion returns the errors of a type assertion.
func (e *evaluation) assertion(v *ssa.TypeAssert, b *ssa.BasicBlock) *Summary {
	in := e.value(v.X, b)
	if isFailure(v.AssertedType) || isError(v.AssertedType) {
		return failuresIf(true).apply(in)
	}
	return in
}

// load returns the errors in the memory that v reads.
func (e *evaluation) load(v *ssa.UnOp) *Summary {
	out := newSummary()
	if v.Op != token.MUL {
		out.unknown(v.Pos(), "a value that is not followed")
		return out
	}
	switch at := v.X.(type) {
	case *ssa.Global:
		return e.global(at, v)
	case *ssa.Alloc:
		return e.local(at)
	case *ssa.FreeVar:
		if a, ok := bindingOf(at).(*ssa.Alloc); ok {
			return asSeenElsewhere(e.local(a), v.Pos())
		}
	}
	out.unknown(v.Pos(), "a value of a struct, an array or a pointer")
	return out
}

// global returns the errors of a package variable.
func (e *evaluation) global(g *ssa.Global, load *ssa.UnOp) *Summary {
	out := newSummary()
	if code, ok := e.slicer.CodeOf(g); ok {
		out.fail(code, load.Pos())
		return out
	}
	if s := e.slicer.variable(g); s != nil {
		return s.moveTo(load.Pos(), "the error "+g.Package().Pkg.Name()+"."+g.Name())
	}
	if path := g.Package().Pkg.Path(); e.slicer.foreign(path) {
		out.plain(load.Pos(), "the error "+g.Package().Pkg.Name()+"."+g.Name())
		return out
	}
	out.unknown(load.Pos(), "the variable "+g.Name())
	return out
}

// storedAt returns the errors that a function stores at an address.
func (e *evaluation) storedAt(addr ssa.Value, fn *ssa.Function) *Summary {
	out := newSummary()
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if store, ok := instr.(*ssa.Store); ok && store.Addr == addr {
				out.Add(e.value(store.Val, b))
			}
		}
	}
	return out
}

// local returns the errors stored in a local variable, by its function or by
// closures.
func (e *evaluation) local(a *ssa.Alloc) *Summary {
	out := newSummary()
	if a.Referrers() == nil {
		return out
	}
	for _, user := range *a.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user.Addr == a {
				out.Add(e.value(user.Val, user.Block()))
			}
		case *ssa.MakeClosure:
			fn := user.Fn.(*ssa.Function)
			for i, binding := range user.Bindings {
				if binding == a && i < len(fn.FreeVars) {
					out.Add(asSeenElsewhere(e.storedAt(fn.FreeVars[i], fn), fn.Pos()))
				}
			}
		case *ssa.MakeInterface:
			out.Add(e.filledByAs(user))
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			out.unknown(a.Pos(), "a variable whose address is passed on")
		}
	}
	return out
}

// filledByAs returns the failures that errors.As stores in a variable.
func (e *evaluation) filledByAs(target *ssa.MakeInterface) *Summary {
	out := newSummary()
	for _, user := range *target.Referrers() {
		call, ok := user.(*ssa.Call)
		if ok && nameOf(call.Call.StaticCallee()) == (name{pkg: "errors", fn: "As"}) && call.Call.Args[1] == target {
			out.Add(failuresIf(true).apply(e.value(call.Call.Args[0], call.Block())))
			continue
		}
		out.unknown(target.Pos(), "a variable whose address is passed on")
	}
	return out
}

// capture returns the errors of a variable that a closure holds by value.
func (e *evaluation) capture(v *ssa.FreeVar) *Summary {
	if binding := bindingOf(v); binding != nil {
		if instr, ok := binding.(ssa.Instruction); ok {
			return asSeenElsewhere(e.value(binding, instr.Block()), v.Pos())
		}
	}
	out := newSummary()
	out.unknown(v.Pos(), "a variable of the surrounding function")
	return out
}

// asSeenElsewhere returns s as another function sees it.
func asSeenElsewhere(s *Summary, pos token.Pos) *Summary {
	c := newSummary()
	c.Add(s)
	c.Close(pos)
	return c
}

// bindingOf returns the value that a closure is created with, if it is created
// only once.
func bindingOf(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	var found ssa.Value
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			closure, ok := instr.(*ssa.MakeClosure)
			if !ok || closure.Fn != fn {
				continue
			}
			if found != nil {
				return nil
			}
			for i, each := range fn.FreeVars {
				if each == v {
					found = closure.Bindings[i]
				}
			}
		}
	}
	return found
}

// textOf returns the string value of a constant.
func textOf(v ssa.Value) (string, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}

// elements returns the values of a variadic argument, or of a slice literal
// written where it is used. It returns false for any other slice.
func elements(v ssa.Value) ([]ssa.Value, bool) {
	if c, ok := v.(*ssa.Const); ok {
		return nil, c.IsNil()
	}
	cut, ok := v.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	array, ok := cut.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" && array.Comment != "slicelit" {
		return nil, false
	}
	var all []ssa.Value
	for _, user := range *array.Referrers() {
		at, ok := user.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == at {
				all = append(all, store.Val)
			}
		}
	}
	return all, true
}
