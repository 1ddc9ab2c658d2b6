package effectcheck

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An origin is where a value was made: a constant, a function, a value of a
// concrete type. value is nil if the source does not show it. call is the call
// that passed it on, with the caller that made it.
type origin struct {
	value ssa.Value
	call  call
	// isPart means that the value is the beginning of a string. The source does
	// not show the rest.
	isPart bool
}

// A trace follows a value back to its origins, through the calls that a walk
// visited, and through variables and fields wherever they are set. It sees the
// callers of one handler only, so it is more precise than the call graph.
type trace struct {
	*walk
	seen map[ssa.Value]bool
	// inside has the operations whose operands are being followed.
	inside []ssa.Value
	visits *int
	// everywhere also follows callers that the walk did not visit, because they
	// may have stored a value that it uses.
	everywhere bool
}

// origins returns the origins of v, which the call at uses.
func (w *walk) origins(v ssa.Value, at call) []origin {
	return (&trace{walk: w, seen: map[ssa.Value]bool{}, visits: new(int)}).of(v, at)
}

// maxTraced caps how many values a trace visits, because a field can be set in
// many places.
const maxTraced = 1000

func (t *trace) of(v ssa.Value, at call) []origin {
	if t.seen[v] {
		return nil
	}
	t.seen[v] = true
	if *t.visits++; *t.visits > maxTraced || slices.Contains(t.inside, v) {
		return []origin{{call: at}}
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.MakeClosure:
		return []origin{{value: v, call: at}}
	case *ssa.MakeInterface:
		return t.inInterface(v, at)
	case *ssa.Convert:
		return t.of(v.X, at)
	case *ssa.ChangeType:
		return t.of(v.X, at)
	case *ssa.ChangeInterface:
		return t.of(v.X, at)
	case *ssa.TypeAssert:
		return t.of(v.X, at)
	case *ssa.Phi:
		return t.each(v.Edges, at)
	case *ssa.Parameter:
		return t.arguments(v)
	case *ssa.FreeVar:
		return t.captures(v, at)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return t.stored(v, at)
		}
	case *ssa.Field:
		return t.fieldOf(v.X.Type(), v.Field, at)
	case *ssa.Call:
		return t.results(v, 0, at)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return t.results(tuple, v.Index, at)
		case *ssa.TypeAssert:
			return t.of(tuple.X, at)
		}
	case *ssa.BinOp:
		if v.Op == token.ADD || v.Op == token.OR {
			return combine(v.Op, t.operand(v.X, v, at), t.operand(v.Y, v, at))
		}
	}
	return []origin{{call: at}}
}

// operand returns the origins of an operand. Values that were followed before
// count again. If a loop appends to a string, the source does not show how it
// ends.
func (t *trace) operand(v ssa.Value, of *ssa.BinOp, at call) []origin {
	inner := *t
	inner.seen = map[ssa.Value]bool{}
	inner.inside = append(slices.Clone(t.inside), of)
	return inner.of(v, at)
}

// inInterface returns the value in an interface, as a constant or as itself.
func (t *trace) inInterface(v *ssa.MakeInterface, at call) []origin {
	if c, ok := v.X.(*ssa.Const); ok && c.Value != nil {
		return []origin{{value: c, call: at}}
	}
	return []origin{{value: v, call: at}}
}

func (t *trace) each(values []ssa.Value, at call) []origin {
	var all []origin
	for _, v := range values {
		all = append(all, t.of(v, at)...)
	}
	return all
}

// constant returns an origin's constant, or nil if it is not one.
func (o origin) constant() constant.Value {
	if c, ok := o.value.(*ssa.Const); ok {
		return c.Value
	}
	return nil
}

// combine applies an operator. A string that begins with a constant keeps that
// beginning, because a statement's beginning decides what it does.
func combine(op token.Token, left, right []origin) []origin {
	var all []origin
	for _, l := range left {
		for _, r := range right {
			x, y := l.constant(), r.constant()
			switch {
			case x == nil || y == nil && x.Kind() != constant.String:
				all = append(all, origin{call: l.call})
			case y == nil || l.isPart:
				all = append(all, origin{l.value, l.call, true})
			default:
				all = append(all, origin{ssa.NewConst(constant.BinaryOp(x, op, y), l.value.Type()), l.call, r.isPart})
			}
		}
	}
	return all
}

// arguments returns what the visited callers pass as a parameter.
func (t *trace) arguments(p *ssa.Parameter) []origin {
	f := p.Parent()
	index := -1
	for i, parameter := range f.Params {
		if parameter == p {
			index = i
		}
	}
	callers := t.callers[f]
	if _, visited := t.from[f]; t.everywhere && !visited {
		callers = t.allCallers(f)
		if len(callers) == 0 && !t.isOwn[f] {
			return nil // no part of the server calls it
		}
	}
	if len(callers) == 0 {
		return []origin{{}} // the parameter of a root
	}
	var all []origin
	for _, c := range callers {
		if argument := c.argument(index); argument != nil {
			all = append(all, t.of(argument, c)...)
		} else {
			all = append(all, origin{call: c})
		}
	}
	return all
}

// captures returns what a function literal captures.
func (t *trace) captures(v *ssa.FreeVar, at call) []origin {
	f := v.Parent()
	if f.Parent() == nil {
		return []origin{{call: at}} // the receiver of a method value
	}
	var all []origin
	for _, block := range f.Parent().Blocks {
		for _, instruction := range block.Instrs {
			closure, ok := instruction.(*ssa.MakeClosure)
			if !ok || closure.Fn != f {
				continue
			}
			for i, free := range f.FreeVars {
				if free == v {
					all = append(all, t.of(closure.Bindings[i], at)...)
				}
			}
		}
	}
	return all
}

// stored returns what is stored in the variable, field or element that a load
// reads.
func (t *trace) stored(load *ssa.UnOp, at call) []origin {
	switch variable := load.X.(type) {
	case *ssa.Alloc:
		return t.originsOf(storesTo(variable), at)
	case *ssa.Global:
		if t.isStream(variable) {
			return []origin{{value: load, call: at}}
		}
		return t.originsOf(t.stores.globals[variable], at)
	case *ssa.FieldAddr:
		return t.fieldOf(variable.X.Type(), variable.Field, at)
	case *ssa.FreeVar:
		var all []origin
		for _, o := range t.captures(variable, at) {
			if local, ok := o.value.(*ssa.Alloc); ok {
				all = append(all, t.originsOf(storesTo(local), at)...)
			} else {
				all = append(all, origin{call: at})
			}
		}
		return all
	}
	return []origin{{call: at}}
}

func (t *trace) fieldOf(of types.Type, index int, at call) []origin {
	return t.originsOf(t.stores.fields[fieldVar(of, index)], at)
}

// originsOf returns the origins of all values stored in one place.
func (t *trace) originsOf(values []ssa.Value, at call) []origin {
	if len(values) == 0 {
		return []origin{{call: at}}
	}
	return t.each(values, at)
}

func storesTo(variable ssa.Value) []ssa.Value {
	var stored []ssa.Value
	for _, use := range *variable.Referrers() {
		if store, ok := use.(*ssa.Store); ok && store.Addr == variable {
			stored = append(stored, store.Val)
		}
	}
	return stored
}

// results returns what a function of known code returns.
func (t *trace) results(c *ssa.Call, index int, at call) []origin {
	callee := c.Common().StaticCallee()
	if callee == nil || len(callee.Blocks) == 0 {
		return []origin{{call: at}}
	}
	var all []origin
	for _, block := range callee.Blocks {
		last := block.Instrs[len(block.Instrs)-1]
		if result, ok := last.(*ssa.Return); ok && index < len(result.Results) {
			all = append(all, t.of(result.Results[index], at)...)
		}
	}
	return all
}

// stores has the values that are stored in fields and package variables
// anywhere in the program.
type stores struct {
	fields  map[*types.Var][]ssa.Value
	globals map[*ssa.Global][]ssa.Value
}

func allStores(functions []*ssa.Function) *stores {
	s := &stores{map[*types.Var][]ssa.Value{}, map[*ssa.Global][]ssa.Value{}}
	for _, f := range functions {
		for _, block := range f.Blocks {
			for _, instruction := range block.Instrs {
				store, ok := instruction.(*ssa.Store)
				if !ok || !isFollowed(store.Val.Type()) {
					continue
				}
				switch to := store.Addr.(type) {
				case *ssa.FieldAddr:
					if field := fieldVar(to.X.Type(), to.Field); field != nil {
						s.fields[field] = append(s.fields[field], store.Val)
					}
				case *ssa.Global:
					s.globals[to] = append(s.globals[to], store.Val)
				}
			}
		}
	}
	return s
}

// isFollowed reports whether a trace looks for values of a type: strings and
// numbers, functions, interfaces, files.
func isFollowed(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return basic || isDynamic(t) || isFile(t)
}

func isFile(t types.Type) bool { return types.TypeString(t, nil) == "*os.File" }

// isDynamic reports whether calling a value of the type is decided at run time.
func isDynamic(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem() // a captured variable
	}
	switch t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}

// fieldVar returns a field of a struct or of a pointer to one. Instances of a
// generic struct share their fields.
func fieldVar(t types.Type, index int) *types.Var {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || index >= s.NumFields() {
		return nil
	}
	return s.Field(index).Origin()
}
