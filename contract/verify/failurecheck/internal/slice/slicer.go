package slice

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Slicer finds the errors of functions in one SSA program. It is not safe for
// concurrent use.
type Slicer struct {
	// Function returns the summary of a function without a body, or nil. Nil
	// means that no such function is known.
	Function func(*types.Func) *Fact
	// Variable returns the error in a variable of a package without source, or
	// nil. Nil means that none is known.
	Variable func(*types.Var) *Fact
	// Foreign reports whether a package does not depend on package contract. A
	// function of a foreign package returns plain errors.
	Foreign func(path string) bool
	// Allowed reports whether the author allows errors that are no failures at
	// a return statement. Nil allows none.
	Allowed func(token.Pos) bool

	done    map[*ssa.Function]*Summary
	running map[*ssa.Function]bool
}

// Errors returns the errors of a function with a body. The parameters that
// become errors are open; see [Summary.Close].
func (s *Slicer) Errors(fn *ssa.Function) *Summary {
	if known := s.done[fn]; known != nil {
		return known
	}
	out := newSummary()
	if s.running[fn] {
		out.unknown(fn.Pos(), "a recursive call of "+fn.Name())
		return out
	}
	if s.done == nil {
		s.done, s.running = map[*ssa.Function]*Summary{}, map[*ssa.Function]bool{}
	}
	s.running[fn] = true
	defer delete(s.running, fn)
	result, ok := errorResult(fn.Signature)
	if !ok {
		return out
	}
	e := s.evaluation()
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) > result {
			found := e.value(r.Results[result], b)
			if s.Allowed != nil && s.Allowed(r.Pos()) {
				found = failuresIf(true).apply(found)
			}
			if param, sentinel, ok := required(b); ok {
				out.parts = append(out.parts, part{param, sentinel, found})
				continue
			}
			out.Add(found)
		}
	}
	s.done[fn] = out
	return out
}

// HasBody reports whether the source of a function is known.
func HasBody(fn *ssa.Function) bool { return len(fn.Blocks) > 0 }

// function returns the summary of the function behind a call, or nil if nothing
// is known about it.
func (s *Slicer) function(fn *ssa.Function) *Summary {
	if HasBody(fn) {
		return s.Errors(fn)
	}
	if origin := fn.Origin(); origin != nil && HasBody(origin) {
		return s.Errors(origin)
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || s.Function == nil {
		return nil
	}
	if fact := s.Function(obj.Origin()); fact != nil {
		return fact.Summary()
	}
	return nil
}

// CodeOf returns the code of the failure in a package variable, and false if it
// is not known.
func (s *Slicer) CodeOf(g *ssa.Global) (string, bool) {
	if g.Package() == nil || g.Package().Pkg == nil {
		return "", false
	}
	if g.Package().Pkg.Path() == ContractPath {
		switch g.Name() {
		case "ErrRetry":
			return "tool_retry", true
		case "ErrFatal":
			return "tool_fatal", true
		}
	}
	found := s.variable(g)
	if found == nil {
		return "", false
	}
	return single(found)
}

// variable returns the errors that a package variable is initialised with, or
// nil if they are not known.
func (s *Slicer) variable(g *ssa.Global) *Summary {
	if init := g.Package().Func("init"); init != nil && HasBody(init) {
		return s.evaluation().stored(g, init)
	}
	v, ok := g.Object().(*types.Var)
	if !ok || s.Variable == nil {
		return nil
	}
	if fact := s.Variable(v); fact != nil {
		return fact.Summary()
	}
	return nil
}

// VariableFact returns the errors of a package variable with source, and nil if
// it can hold no error.
func (s *Slicer) VariableFact(g *ssa.Global) *Fact {
	t := elem(g.Type())
	if !isFailure(t) && !isError(t) && !types.Identical(t, errorType) {
		return nil
	}
	return closed(s.variable(g), g.Pos()).Fact()
}

// single returns the only error of a summary, if that is a failure.
func single(s *Summary) (string, bool) {
	if len(s.Failures) != 1 || len(s.Plain)+len(s.Unknown)+len(s.flows) > 0 {
		return "", false
	}
	for code := range s.Failures {
		return code, true
	}
	return "", false
}

// ErrorsOf returns the errors of all functions together, closed. A function of
// which nothing is known is unknown at pos.
func (s *Slicer) ErrorsOf(pos token.Pos, functions ...*ssa.Function) *Summary {
	all := newSummary()
	for _, fn := range functions {
		found := s.function(fn)
		switch {
		case found == nil:
			all.unknown(pos, "the errors of "+fn.Name())
		case HasBody(fn) || fn.Origin() != nil && HasBody(fn.Origin()):
			all.Add(closed(found, fn.Pos()))
		default:
			all.Add(closed(found.moved(pos, "an error of "+fn.Name()), pos))
		}
	}
	return all
}

// ReturnsError reports whether the last result of a function is an error.
func ReturnsError(fn *ssa.Function) bool {
	_, ok := errorResult(fn.Signature)
	return ok
}
