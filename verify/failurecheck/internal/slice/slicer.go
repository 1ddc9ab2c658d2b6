package slice

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A Slicer finds the errors of functions in one SSA program. It is not safe for
// concurrent use.
type Slicer struct {
	// Foreign reports whether a package does not depend on package contract. A
	// function of a foreign package returns plain errors.
	Foreign func(path string) bool
	// Allowed reports whether the author allows a return statement to return
	// errors that are not failures. Nil allows none.
	Allowed func(token.Pos) bool

	done    map[*ssa.Function]*Summary
	running map[*ssa.Function]bool
}

// Errors returns the errors of a function with a body. Parameters that become
// errors stay open; see [Summary.Close].
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
			if param, sentinel, ok := requiredSentinel(b); ok {
				out.parts = append(out.parts, part{param, sentinel, found})
				continue
			}
			out.Add(found)
		}
	}
	s.done[fn] = out
	return out
}

// HasBody reports whether a function's source is known.
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
	return nil
}

// CodeOf returns the code of the failure in a package variable, or false if it
// is not known.
func (s *Slicer) CodeOf(g *ssa.Global) (string, bool) {
	if g.Package() == nil || g.Package().Pkg == nil {
		return "", false
	}
	found := s.variable(g)
	if found == nil {
		return "", false
	}
	return onlyFailure(found)
}

// variable returns the errors that a package variable is initialized with, or
// nil if they are not known.
func (s *Slicer) variable(g *ssa.Global) *Summary {
	if init := g.Package().Func("init"); init != nil && HasBody(init) {
		return s.evaluation().storedAt(g, init)
	}
	return nil
}

// onlyFailure returns the only error in a summary, if it is a failure.
func onlyFailure(s *Summary) (string, bool) {
	if len(s.Failures) != 1 || len(s.Plain)+len(s.Unknown)+len(s.flows) > 0 {
		return "", false
	}
	for code := range s.Failures {
		return code, true
	}
	return "", false
}

// ErrorsOf returns the errors of functions with bodies, combined and closed.
func (s *Slicer) ErrorsOf(functions ...*ssa.Function) *Summary {
	all := newSummary()
	for _, fn := range functions {
		all.Add(asSeenElsewhere(s.Errors(fn), fn.Pos()))
	}
	return all
}
