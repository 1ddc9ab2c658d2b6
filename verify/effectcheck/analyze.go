package effectcheck

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/verify/internal/funcname"
)

// Check analyzes the tools and fails t for every effect that is not
// [Consistent]. It is [Analyze] without options, followed by [Analysis.Assert].
func Check(t testing.TB, tools ...*contract.Tool) {
	t.Helper()
	r, err := Analyze(tools)
	if err != nil {
		t.Fatal(err)
	}
	r.Assert(t)
}

// Analyze loads the source of the tools' handlers, dry runs, prechecks and
// reconciliations, and reports what calling them can reach. It must run in a
// test, because it runs the go command and assumes that the current folder
// belongs to the package under test. It calls no handler. Pass all tools of a
// server at once: most of the time and memory goes into what they share.
//
// The error names packages that cannot be loaded, nil tools, and options that
// fit no tool. A function whose source was not found is an effect with the
// conclusion [Unknown].
func Analyze(tools []*contract.Tool, opts ...Option) (Analysis, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Analysis{}, fmt.Errorf("effectcheck: %w", err)
	}
	c := newConfig(dir, opts)
	targets, err := c.targets(tools)
	if err != nil {
		return Analysis{}, err
	}
	classes, err := newClassifier(c.functions)
	if err != nil {
		return Analysis{}, err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	p, err := c.load(targets)
	if err != nil {
		return Analysis{}, err
	}
	r := Analysis{Tools: []string{}, Effects: []Effect{}}
	for _, tool := range tools {
		r.Tools = append(r.Tools, tool.Name())
	}
	p.find(targets)
	for _, t := range targets {
		r.Effects = append(r.Effects, p.analyze(t, classes)...)
	}
	r.sort()
	return r, classes.unused()
}

// memory is the soft heap limit during an analysis, in bytes. Without it, the
// loader's garbage doubles the peak.
const memory = 1600 << 20

// A target is one function of a tool.
type target struct {
	doc      contract.Document
	part     string
	function observe.Function
	// roots are the source functions that it was compiled from.
	roots []*ssa.Function
	// shared reports whether other tools have the same roots.
	shared bool
}

func (c *config) targets(tools []*contract.Tool) ([]target, error) {
	var all []target
	named := maps.Clone(c.handlers)
	seen := map[string]bool{}
	for i, tool := range tools {
		if tool == nil {
			return nil, fmt.Errorf("effectcheck: tool %d is nil; leave it out", i)
		}
		if seen[tool.Name()] {
			return nil, fmt.Errorf("effectcheck: two tools have the name %s; leave one out", tool.Name())
		}
		seen[tool.Name()] = true
		facts := observe.FactsOf(tool)
		if handler, ok := named[tool.Name()]; ok {
			f, err := observe.FunctionOf(handler)
			if err != nil {
				return nil, fmt.Errorf("effectcheck: WithHandler for %s: %w", tool.Name(), err)
			}
			facts.Handler = f
			delete(named, tool.Name())
		}
		all = append(all, target{doc: tool.Document(), part: handlerPart, function: facts.Handler})
		if facts.DryRun != (observe.Function{}) {
			all = append(all, target{doc: tool.Document(), part: dryRunPart, function: facts.DryRun})
		}
		if facts.Precheck != (observe.Function{}) {
			all = append(all, target{doc: tool.Document(), part: precheckPart, function: facts.Precheck})
		}
		if facts.Reconcile != (observe.Function{}) {
			all = append(all, target{doc: tool.Document(), part: reconcilePart, function: facts.Reconcile})
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(named)) {
		return nil, fmt.Errorf("effectcheck: WithHandler for %s: there is no such tool; correct its name", tool)
	}
	return all, nil
}

// load loads the targets' packages, with test files only if a target may be in
// one.
func (c *config) load(targets []target) (*program, error) {
	patterns := map[string]bool{".": true}
	for _, pattern := range c.packages {
		patterns[pattern] = true
	}
	tests := false
	for _, t := range targets {
		pkg, isTest := packageName(t.function)
		patterns[pkg] = true
		tests = tests || isTest
	}
	list := slices.Sorted(maps.Keys(patterns))
	p, err := load(c.dir, tests, list)
	if err != nil || tests {
		return p, err
	}
	for _, t := range targets {
		if len(p.locate(t.function)) == 0 {
			return load(c.dir, true, list)
		}
	}
	return p, nil
}

// find sets the targets' roots.
func (p *program) find(targets []target) {
	count := map[*ssa.Function]int{}
	for i := range targets {
		targets[i].roots = p.locate(targets[i].function)
		for _, root := range targets[i].roots {
			count[root]++
		}
	}
	for i, t := range targets {
		for _, root := range t.roots {
			targets[i].shared = targets[i].shared || count[root] > 1
		}
	}
}

// analyze returns the effects of one function, one for each capability.
func (p *program) analyze(t target, classes *classifier) []Effect {
	if len(t.roots) == 0 {
		return []Effect{{
			Tool: t.doc.Name, Part: t.part, Conclusion: Unknown, Rule: ruleSource,
			Message: fmt.Sprintf("the source of the %s, %s, was not found", t.part, t.function.Name),
			Remedy:  "name its package with WithPackages, or the function with WithHandler",
		}}
	}
	w := p.walks[t.roots[0]]
	if w == nil || len(t.roots) > 1 {
		w = p.walkFrom(t.roots, classes)
		p.walks[t.roots[0]] = w
	}
	var all []Effect
	seen := map[Capability]bool{}
	for _, l := range w.refine() {
		if seen[l.capability] || l.capability == safeCall {
			continue
		}
		seen[l.capability] = true
		all = append(all, w.effect(t, l))
	}
	return all
}

func (w *walk) effect(t target, l leaf) Effect {
	concluded, rule, clause, remedy := judge(t.doc, t.part, l.capability, w.voids())
	f := Effect{Tool: t.doc.Name, Part: t.part, Capability: l.capability, Conclusion: concluded, Rule: rule, Path: w.path(l.call)}
	if concluded == Consistent {
		return f
	}
	f.Message = fmt.Sprintf("the %s can %s, and %s", t.part, l.capability.phrase(), clause)
	if l.capability == unresolvedCall {
		remedy = "name the packages that construct the value with WithPackages"
	}
	f.Remedy = remedy + ", or allow it with a reason"
	if (len(t.roots) > 1 || t.shared) && holdsFunctions(t.roots) {
		f.Conclusion = Unknown
		f.Message += "; but several tools share this function, so this may be the call of another one"
		f.Remedy = "name the function of each tool with WithHandler"
	}
	return f
}

// voids reports whether the function may answer CannotHappen.
func (w *walk) voids() bool {
	for f := range w.from {
		if of := f.Origin(); of != nil && of.String() == "github.com/toolcontract/toolcontract/contract.CannotHappen" {
			return true
		}
	}
	return false
}

// holdsFunctions reports whether what a function calls depends on its receiver
// or on the variables it captures.
func holdsFunctions(roots []*ssa.Function) bool {
	for _, root := range roots {
		for _, v := range root.FreeVars {
			if holdsFunction(v.Type()) {
				return true
			}
		}
		if receiver := root.Signature.Recv(); receiver != nil && holdsFunction(receiver.Type()) {
			return true
		}
	}
	return false
}

// holdsFunction reports whether a variable of type t contains a function or an
// interface, directly or in a field.
func holdsFunction(t types.Type) bool {
	if isDynamic(t) {
		return true
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if _, pointer := field.Type().Underlying().(*types.Pointer); !pointer && holdsFunction(field.Type()) {
			return true
		}
	}
	return false
}

// path returns the chain of calls from a root to last.
func (w *walk) path(last call) []Step {
	steps := []Step{{Function: last.name()}}
	for c := &last; c != nil; c = w.from[c.caller] {
		step := Step{Function: c.caller.String()}
		if c.site != nil {
			step.At = w.place(c.site.Pos())
		}
		if step.At != "" {
			steps = append(steps, step)
		}
	}
	slices.Reverse(steps)
	return steps
}

// packageName returns the import path of a compiled function's package, and
// whether the function is in a test file.
func packageName(f observe.Function) (path string, isTest bool) {
	path, _ = funcname.Split(f.Name)
	plain, external := strings.CutSuffix(path, "_test")
	if plain == "main" {
		plain = "."
	}
	return plain, external || strings.HasSuffix(f.File, "_test.go")
}

// name returns the full name of the called function or, if none is known, the
// type of the value that is called.
func (c call) name() string {
	if c.callee != nil {
		return c.callee.String()
	}
	common := c.site.Common()
	if common.IsInvoke() {
		return "(" + common.Value.Type().String() + ")." + common.Method.Name()
	}
	return common.Value.Type().String()
}
