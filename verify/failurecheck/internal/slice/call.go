package slice

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// call returns the errors of one result of a call.
func (e *evaluation) call(c *ssa.Call, result int) *Summary {
	if c.Call.IsInvoke() {
		return e.interfaceCall(c)
	}
	callee := c.Call.StaticCallee()
	if callee == nil {
		return e.dynamic(c, result)
	}
	if s, ok := e.knownCall(c, nameOf(callee), result); ok {
		return s
	}
	if s := e.slicer.function(callee); s != nil {
		return e.substitute(s, c)
	}
	return e.foreign(c, callee)
}

// knownCall returns the errors of functions whose meaning this package knows.
func (e *evaluation) knownCall(c *ssa.Call, n name, result int) (*Summary, bool) {
	args := c.Call.Args
	out := newSummary()
	switch {
	case n.pkg == ContractPath && (n.recv == "Failure" || n.recv == "Error"):
		switch n.fn {
		case "Wrap", "At", "Errorf", "Hint", "After", "EffectPossible":
			return withPosition(e.value(args[0], c.Block()), c.Pos()), true
		case "Unwrap":
			out.unknown(c.Pos(), "the cause of a failure")
			return out, true
		}
	case n.pkg == ContractPath && n.recv == "" && (n.fn == "Retryable" || n.fn == "Fatal" || n.fn == "Fail"):
		if code, ok := textOf(args[0]); ok {
			out.fail(code, c.Pos())
		} else {
			out.unknown(c.Pos(), "a failure whose code is not a constant")
		}
		return out, true
	case n == name{pkg: "errors", fn: "New"}:
		out.plain(c.Pos(), "errors.New")
		return out, true
	case n == name{pkg: "errors", fn: "AsType"}:
		return failuresIf(true).apply(e.value(args[0], c.Block())), result == 0 && isAsType(c)
	case n == name{pkg: "errors", fn: "Join"}:
		return e.joinedErrors(c, args[0]), true
	case n == name{pkg: "fmt", fn: "Errorf"}:
		return e.errorf(c), true
	case n == name{pkg: "context", fn: "Cause"}:
		return out, true
	}
	return nil, false
}

// withPosition returns s with its failures at pos, where they were last
// changed.
func withPosition(s *Summary, pos token.Pos) *Summary {
	s = s.flat()
	m := newSummary()
	for code := range s.Failures {
		m.fail(code, pos)
	}
	m.Plain, m.Unknown, m.flows = s.Plain, s.Unknown, s.flows
	return m
}

// joinedErrors returns the errors of a variadic argument's elements.
func (e *evaluation) joinedErrors(c *ssa.Call, list ssa.Value) *Summary {
	out := newSummary()
	all, ok := elements(list)
	if !ok {
		out.unknown(c.Pos(), "a list of errors")
	}
	for _, v := range all {
		out.Add(e.value(v, c.Block()))
	}
	return out
}

// errorf returns the errors from fmt.Errorf, which keeps the operands of %w.
func (e *evaluation) errorf(c *ssa.Call) *Summary {
	out := newSummary()
	format, constant := textOf(c.Call.Args[0])
	if constant && !strings.Contains(format, "%w") {
		out.plain(c.Pos(), "fmt.Errorf")
		return out
	}
	all, ok := elements(c.Call.Args[1])
	if !ok || !constant {
		out.unknown(c.Pos(), "fmt.Errorf with a list of operands or a format that is not a constant")
		return out
	}
	for _, v := range all {
		if v, isError := operand(v); isError {
			out.Add(e.value(v, c.Block()))
		}
	}
	if len(out.Plain) > 0 {
		out.Plain = nil
		out.plain(c.Pos(), "fmt.Errorf")
	}
	return out
}

// operand returns the error that was converted to any.
func operand(v ssa.Value) (ssa.Value, bool) {
	switch c := v.(type) {
	case *ssa.ChangeInterface:
		return c.X, types.Implements(c.X.Type(), errorType.Underlying().(*types.Interface))
	case *ssa.MakeInterface:
		return c, types.Implements(c.X.Type(), errorType.Underlying().(*types.Interface))
	}
	return v, false
}

// interfaceCall returns the errors of an interface method.
func (e *evaluation) interfaceCall(c *ssa.Call) *Summary {
	out := newSummary()
	method := nameOfObject(c.Call.Method)
	if method == (name{"context", "Context", "Err"}) {
		return out // the guard has its own codes for the end of a context
	}
	out.unknown(c.Pos(), "an error of the method "+method.String()+" of an interface")
	return out
}

// dynamic returns the errors of a function value.
func (e *evaluation) dynamic(c *ssa.Call, result int) *Summary {
	out := newSummary()
	switch fn := c.Call.Value.(type) {
	case *ssa.Parameter:
		out.flow(flow{paramIndex(fn), result, everything()})
	case *ssa.MakeClosure:
		return e.substitute(e.slicer.Errors(fn.Fn.(*ssa.Function)), c)
	default:
		out.unknown(c.Pos(), "an error of a function value")
	}
	return out
}

// substitute returns the errors of a call, with arguments substituted for the
// parameters that become errors.
func (e *evaluation) substitute(s *Summary, c *ssa.Call) *Summary {
	out := newSummary()
	out.Add(&Summary{Failures: s.Failures, Plain: s.Plain, Unknown: s.Unknown})
	for _, p := range s.parts {
		if p.param >= len(c.Call.Args) || !excludes(c.Call.Args[p.param], p.sentinel, c.Block()) {
			out.Add(e.substitute(p.errors.flat(), c))
		}
	}
	for _, f := range s.flows {
		if f.param >= len(c.Call.Args) {
			out.unknown(c.Pos(), "a parameter")
			continue
		}
		out.Add(f.mask.apply(e.argument(c.Call.Args[f.param], f.result, c)))
	}
	return out
}

// argument returns the errors of an argument or, if it is a function, those
// that it returns.
func (e *evaluation) argument(v ssa.Value, result int, c *ssa.Call) *Summary {
	if result == itself {
		return e.value(v, c.Block())
	}
	fn, bound := FunctionOf(v)
	if fn == nil {
		out := newSummary()
		if p, ok := v.(*ssa.Parameter); ok {
			out.flow(flow{paramIndex(p), result, everything()})
		} else {
			out.unknown(c.Pos(), "an error of a function value")
		}
		return out
	}
	s := e.slicer.function(fn)
	if s == nil {
		return e.foreign(c, fn)
	}
	if s = s.flat(); bound || len(s.flows) > 0 {
		return asSeenElsewhere(s, c.Pos())
	}
	return s
}

// FunctionOf returns the function behind a function value, or nil if it is not
// known, and whether it is bound to a receiver.
func FunctionOf(v ssa.Value) (fn *ssa.Function, bound bool) {
	switch v := v.(type) {
	case *ssa.Function:
		return v, false
	case *ssa.ChangeType:
		return FunctionOf(v.X)
	case *ssa.MakeClosure:
		made := v.Fn.(*ssa.Function)
		if !strings.HasSuffix(made.Name(), "$bound") {
			return made, false
		}
		method, ok := made.Object().(*types.Func)
		if !ok {
			return nil, true
		}
		if declared := made.Prog.FuncValue(method.Origin()); declared != nil {
			return declared, true
		}
		return nil, true
	}
	return nil, false
}

// foreign returns the errors of a function whose body is not known. A function
// of a package that does not depend on package contract returns errors of its
// own, which are plain, and any errors passed to it.
func (e *evaluation) foreign(c *ssa.Call, callee *ssa.Function) *Summary {
	out := newSummary()
	n := nameOf(callee)
	what := "an error of " + n.String()
	if n.pkg == "" || !e.slicer.foreign(n.pkg) {
		out.unknown(c.Pos(), what)
		return out
	}
	out.plain(c.Pos(), what)
	for _, arg := range c.Call.Args {
		switch t := arg.Type().Underlying().(type) {
		case *types.Signature:
			if result, ok := errorResult(t); ok {
				out.Add(e.argument(arg, result, c))
			}
		case *types.Interface:
			if types.Identical(arg.Type(), errorType) {
				out.Add(e.value(arg, c.Block()))
			}
		}
	}
	return out
}

func (s *Slicer) foreign(path string) bool { return s.Foreign != nil && s.Foreign(path) }
