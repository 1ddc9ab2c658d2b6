package effectcheck

import (
	"go/types"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"
)

// A walk visits everything that one function can call.
type walk struct {
	*program
	classes *classifier
	// graph is the function's call graph.
	graph *callgraph.Graph
	// from has the call by which each visited function was first reached, nil
	// for the root.
	from map[*ssa.Function]*call
	// leaves are the calls of classified functions, nearest first.
	leaves []leaf
	// callers are the calls of each visited function.
	callers map[*ssa.Function][]call
	// requests has the calls that make an HTTP request, and methodStores the
	// places that set its method.
	requests     []call
	methodStores []methodStore
}

// A call is one edge of the call graph. callee is nil if it is not known.
type call struct {
	caller *ssa.Function
	site   ssa.CallInstruction
	callee *ssa.Function
	// receiver is the value whose method the site's callee calls, if it was
	// passed as an argument.
	receiver ssa.Value
}

// A leaf is a call of a function with a capability.
type leaf struct {
	call
	capability Capability
}

// walkFrom visits what the roots can call, using a call graph refined for them:
// the whole graph merges the values of all tools.
func (p *program) walkFrom(roots []*ssa.Function, classes *classifier) *walk {
	coarse := &walk{program: p, classes: classes, graph: p.whole}
	coarse.run(roots)
	if len(coarse.leaves) == 0 {
		return coarse // a refined graph has fewer calls
	}
	relevant := map[*ssa.Function]bool{}
	for f := range coarse.from {
		relevant[f] = true
		for _, init := range p.inits[packageOf(f)] {
			relevant[init] = true
		}
	}
	for _, f := range p.own {
		relevant[f] = true
	}
	w := &walk{program: p, classes: classes, graph: vta.CallGraph(relevant, p.whole)}
	w.run(roots)
	return w
}

func (w *walk) run(roots []*ssa.Function) {
	w.from, w.callers = map[*ssa.Function]*call{}, map[*ssa.Function][]call{}
	queue := append([]*ssa.Function(nil), roots...)
	for _, root := range roots {
		w.from[root] = nil
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		w.methodStores = append(w.methodStores, methodStores(f)...)
		w.leaves = append(w.leaves, w.unresolved(f)...)
		for _, c := range w.calls(f) {
			if isRequest(c.callee) {
				w.requests = append(w.requests, c)
			}
			w.callers[c.callee] = append(w.callers[c.callee], c)
			capability := w.classes.of(c.callee)
			switch _, seen := w.from[c.callee]; {
			case capability == safeCall:
			case capability != "":
				w.leaves = append(w.leaves, leaf{c, capability})
			case !seen:
				w.from[c.callee] = &c
				queue = append(queue, c.callee)
			}
		}
	}
}

// unresolved returns the calls in f for which the program has no value. Only
// calls in the modules of the loaded patterns count, because libraries have
// hooks that are never set.
func (w *walk) unresolved(f *ssa.Function) []leaf {
	if !w.isOwn[f] {
		return nil
	}
	resolved := map[ssa.CallInstruction]bool{}
	if node := w.whole.Nodes[f]; node != nil {
		for _, edge := range node.Out {
			resolved[edge.Site] = true
		}
	}
	var all []leaf
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			site, ok := instruction.(ssa.CallInstruction)
			if !ok || resolved[site] || site.Common().StaticCallee() != nil {
				continue
			}
			if _, builtin := site.Common().Value.(*ssa.Builtin); !builtin && !isPlainMethod(site.Common()) {
				all = append(all, leaf{call{caller: f, site: site}, unresolvedCall})
			}
		}
	}
	return all
}

// isPlainMethod reports whether a call is to a method of an interface whose
// methods have no effects.
func isPlainMethod(c *ssa.CallCommon) bool {
	if !c.IsInvoke() {
		return false
	}
	underlying, ok := c.Value.Type().Underlying().(*types.Interface)
	return ok && isPlain(c.Value.Type(), underlying)
}
