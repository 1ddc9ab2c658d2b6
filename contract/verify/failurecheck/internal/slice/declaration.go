package slice

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Declaration is a tool whose builder is in the source.
type Declaration struct {
	// Tool is the name of the tool, or "" if it is not a constant.
	Tool string
	// Pos is the call that starts the builder.
	Pos token.Pos
	// Handler is the handler. Nil: it is not known.
	Handler *ssa.Function
	// Previews are the functions of the dry run.
	Previews []*ssa.Function
	// Codes are the declared failures, with the place of the variable of each.
	Codes map[string]token.Pos
	// OtherErrors means that undeclared errors are declared as a whole.
	OtherErrors bool
	// Incomplete means that other code can add verbs to the builder, or that
	// the value of a verb is not known.
	Incomplete bool
}

// Declarations returns the tools that are declared in the functions of a
// package, in their order in the source.
func (s *Slicer) Declarations(functions []*ssa.Function) []*Declaration {
	var all []*Declaration
	for _, fn := range functions {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.Call); ok {
					if d := s.declaration(c); d != nil {
						all = append(all, d)
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *Declaration) int { return int(a.Pos - b.Pos) })
	return all
}

// declaration returns the tool that a call starts, or nil.
func (s *Slicer) declaration(c *ssa.Call) *Declaration {
	args := c.Call.Args
	d := &Declaration{Pos: c.Pos(), Codes: map[string]token.Pos{}}
	var handler ssa.Value
	switch nameOf(c.Call.StaticCallee()) {
	case name{pkg: ContractPath, fn: "New"}:
		d.Tool, _ = textOf(args[0])
		handler = args[1]
	case name{pkg: ContractPath, fn: "Bind"}:
		d.Tool, _ = textOf(args[1])
		handler = args[2]
	default:
		return nil
	}
	d.Handler, _ = FunctionOf(handler)
	if d.Tool == "" {
		d.Tool = nameTag(handler.Type())
	}
	v := verbs{slicer: s, to: d}
	v.follow(c)
	if len(d.Codes) == 0 || !d.OtherErrors {
		v.below(handler)
	}
	return d
}

// verbs reads the verbs of one builder.
type verbs struct {
	slicer *Slicer
	to     *Declaration
	bases  []ssa.Value
}

// follow reads the verbs that are called on a builder.
func (v *verbs) follow(builder ssa.Value) {
	for _, user := range *builder.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeInterface: // for BuildAll
			if typeName(user.Type()) != (name{pkg: ContractPath, fn: "Buildable"}) {
				v.to.Incomplete = true
			}
		case *ssa.Call:
			n := nameOf(user.Call.StaticCallee())
			if n.pkg != ContractPath || n.recv != "Builder" || user.Call.Args[0] != builder {
				v.to.Incomplete = true
				continue
			}
			v.verb(n.fn, user)
			if n.fn != "Build" && n.fn != "MustBuild" {
				v.follow(user)
			}
		default:
			v.to.Incomplete = true
		}
	}
}

func (v *verbs) verb(verb string, c *ssa.Call) {
	switch verb {
	case "From":
		v.bases = append(v.bases, c.Call.Args[1])
	case "DryRun":
		v.dryRun(c.Call.Args[1])
	default:
		v.clause(verb, c)
	}
}

// clause reads a verb of a builder.
func (v *verbs) clause(verb string, c *ssa.Call) {
	switch verb {
	case "OtherErrors":
		v.to.OtherErrors = true
	case "Failures":
		v.failures(c.Call.Args[1], c)
	}
}

// failures reads a list of declared failures, as a verb or a field gets it.
func (v *verbs) failures(list ssa.Value, at ssa.Instruction) {
	all, ok := elements(list)
	if !ok {
		v.to.Incomplete = true
	}
	e := v.slicer.evaluation()
	for _, each := range all {
		if code, ok := single(e.value(each, at.Block())); ok {
			v.to.Codes[code] = variable(each, at.Pos())
		} else {
			v.to.Incomplete = true
		}
	}
}

// variable returns the place of the package variable that a value is read from,
// or pos if its source is not known.
func variable(v ssa.Value, pos token.Pos) token.Pos {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return pos
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Package() == nil || g.Package().Func("init") == nil || !HasBody(g.Package().Func("init")) {
		return pos
	}
	return g.Pos()
}

// dryRun reads dryrun.By(preview) and its method Required.
func (v *verbs) dryRun(clause ssa.Value) {
	c, ok := clause.(*ssa.Call)
	if !ok {
		v.to.Incomplete = true
		return
	}
	switch n := nameOf(c.Call.StaticCallee()); {
	case n == name{dryRunPath, "Clause", "Required"}:
		v.dryRun(c.Call.Args[0])
	case n == name{pkg: dryRunPath, fn: "By"}:
		if fn, _ := FunctionOf(c.Call.Args[0]); fn != nil {
			v.to.Previews = append(v.to.Previews, fn)
			return
		}
		v.to.Incomplete = true
	default:
		v.to.Incomplete = true
	}
}

// below reads the layers under the verbs: the tags of the input type, and the
// bases.
func (v *verbs) below(handler ssa.Value) {
	under := verbs{slicer: v.slicer, to: &Declaration{Codes: map[string]token.Pos{}}}
	under.tags(handler.Type(), v.to.Pos)
	for i := 0; len(under.to.Codes) == 0 && i < len(v.bases); i++ {
		under.base(v.bases[i])
	}
	if len(v.to.Codes) == 0 {
		v.to.Codes = under.to.Codes
	}
	v.to.OtherErrors = v.to.OtherErrors || under.to.OtherErrors
	v.to.Incomplete = v.to.Incomplete || under.to.Incomplete
}

// input returns the input type of a handler, or the empty struct if that is no
// struct.
func input(handler types.Type) *types.Struct {
	sig, ok := handler.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 2 {
		return types.NewStruct(nil, nil)
	}
	in, ok := sig.Params().At(1).Type().Underlying().(*types.Struct)
	if !ok {
		return types.NewStruct(nil, nil)
	}
	return in
}

// nameTag returns the name of the tool in the marker field of an input type.
func nameTag(handler types.Type) string {
	in := input(handler)
	for i := range in.NumFields() {
		if typeName(in.Field(i).Type()) == (name{pkg: ContractPath, fn: "Tags"}) {
			return reflect.StructTag(in.Tag(i)).Get("name")
		}
	}
	return ""
}

// tags reads the marker fields of the input type of a handler.
func (v *verbs) tags(handler types.Type, pos token.Pos) {
	in := input(handler)
	for i := range in.NumFields() {
		tag := reflect.StructTag(in.Tag(i))
		switch typeName(in.Field(i).Type()) {
		case name{pkg: ContractPath, fn: "FailureTag"}:
			v.to.Codes[tag.Get("code")] = pos
		case name{pkg: ContractPath, fn: "Tags"}:
			_, v.to.OtherErrors = tag.Lookup("otherErrors")
		}
	}
}

// base reads the fields of a base.
func (v *verbs) base(value ssa.Value) {
	switch value := value.(type) {
	case *ssa.Const: // the zero value
	case *ssa.Call:
		callee := value.Call.StaticCallee()
		if callee == nil || !HasBody(callee) || callee.Signature.Results().Len() != 1 {
			v.to.Incomplete = true
			return
		}
		v.returned(callee)
	case *ssa.UnOp:
		switch from := value.X.(type) {
		case *ssa.Alloc:
			v.fields(from, *from.Referrers())
		case *ssa.Global:
			v.initial(from)
		default:
			v.to.Incomplete = true
		}
	default:
		v.to.Incomplete = true
	}
}

// returned reads the base that a function returns.
func (v *verbs) returned(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			v.base(r.Results[0])
		}
	}
}

// initial reads the base of a package variable.
func (v *verbs) initial(g *ssa.Global) {
	if g.Package() == nil || g.Package().Func("init") == nil {
		v.to.Incomplete = true
		return
	}
	var users []ssa.Instruction
	for _, b := range g.Package().Func("init").Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if instr.Addr == g {
					users = append(users, instr)
				}
			case *ssa.FieldAddr:
				if instr.X == g {
					users = append(users, instr)
				}
			}
		}
	}
	v.to.Incomplete = v.to.Incomplete || len(users) == 0
	v.fields(g, users)
}

// fields reads the fields that the users of a variable set, and those of the
// base that it is a copy of.
func (v *verbs) fields(variable ssa.Value, users []ssa.Instruction) {
	copied := verbs{slicer: v.slicer, to: &Declaration{Codes: map[string]token.Pos{}}}
	for _, user := range users {
		switch user := user.(type) {
		case *ssa.DebugRef, *ssa.UnOp: // they only read it
		case *ssa.FieldAddr:
			v.field(user)
		case *ssa.Store:
			if user.Addr != variable {
				v.to.Incomplete = true
				continue
			}
			copied.base(user.Val)
		default:
			v.to.Incomplete = true
		}
	}
	if len(v.to.Codes) == 0 {
		v.to.Codes = copied.to.Codes
	}
	v.to.OtherErrors = v.to.OtherErrors || copied.to.OtherErrors
	v.to.Incomplete = v.to.Incomplete || copied.to.Incomplete
}

// field reads what is stored in a field.
func (v *verbs) field(at *ssa.FieldAddr) {
	of := at.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct) //nolint:forcetypeassert // it has fields
	name := of.Field(at.Field).Name()
	if name != "Failures" && name != "OtherErrors" {
		return
	}
	for _, user := range *at.Referrers() {
		store, ok := user.(*ssa.Store)
		switch {
		case !ok || store.Addr != at:
			_, reads := user.(*ssa.UnOp)
			v.to.Incomplete = v.to.Incomplete || !reads
		case name == "OtherErrors":
			v.to.OtherErrors = true
		default:
			v.failures(store.Val, store)
		}
	}
}

// Functions returns the functions of a package that have a body, with their
// function literals, in their order in the source.
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
			for i := range named.NumMethods() {
				add(pkg.Prog.FuncValue(named.Method(i)))
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
