package effectcheck

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// calls returns the calls in f, in source order.
func (w *walk) calls(f *ssa.Function) []call {
	var all []call
	resolved := map[ssa.CallInstruction]bool{}
	add := func(site ssa.CallInstruction, callee *ssa.Function) {
		resolved[site] = true
		if site == nil || !isPlainMethod(site.Common()) {
			all = append(all, call{caller: f, site: site, callee: callee})
		}
	}
	if node := w.graph.Nodes[f]; node != nil {
		for _, edge := range node.Out {
			add(edge.Site, edge.Callee.Func)
		}
	}
	if node := w.whole.Nodes[f]; node != nil {
		// A value made by a function that is irrelevant to the handler
		// reaches the call only in the coarse graph.
		var coarse []call
		for _, edge := range node.Out {
			if !resolved[edge.Site] && (edge.Site == nil || !isPlainMethod(edge.Site.Common())) {
				coarse = append(coarse, call{caller: f, site: edge.Site, callee: edge.Callee.Func})
			}
		}
		all = append(all, coarse...)
	}
	for _, c := range all {
		if c.site != nil && w.classes.of(c.callee) != "" {
			all = append(all, w.callbacks(c)...)
		}
	}
	slices.SortStableFunc(all, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.pos(), b.pos()), cmp.Compare(a.callee.String(), b.callee.String()))
	})
	return all
}

func (c call) pos() int {
	if c.site == nil {
		return 0
	}
	return int(c.site.Pos())
}

// argument returns the argument for the callee's parameter at index, or nil if
// the call does not show it.
func (c call) argument(index int) ssa.Value {
	if c.site == nil {
		return nil
	}
	common := c.site.Common()
	if common.IsInvoke() || common.StaticCallee() == nil {
		// An interface method's receiver and what a closure captures are not
		// arguments.
		index -= len(c.callee.Params) - len(common.Args)
	}
	if index < 0 || index >= len(common.Args) {
		return nil
	}
	return common.Args[index]
}

// callbacks returns what a function whose body is not visited may call: the
// functions passed to it, and the methods of values passed to it as an
// interface.
func (w *walk) callbacks(c call) []call {
	var all []call
	parameters := c.callee.Signature.Params()
	offset := len(c.callee.Params) - parameters.Len()
	for i := range parameters.Len() {
		argument := c.argument(i + offset)
		if argument == nil {
			continue
		}
		switch t := parameters.At(i).Type().Underlying().(type) {
		case *types.Signature:
			for _, o := range w.origins(argument, c) {
				all = append(all, w.asFunction(o, c)...)
			}
		case *types.Interface:
			if !isPlain(parameters.At(i).Type(), t) {
				for _, o := range w.origins(argument, c) {
					all = append(all, w.asMethods(o, t, c)...)
				}
			}
		}
	}
	return all
}

func (w *walk) asFunction(o origin, c call) []call {
	switch v := o.value.(type) {
	case *ssa.Function:
		return []call{{caller: c.caller, site: c.site, callee: v}}
	case *ssa.MakeClosure:
		if f, ok := v.Fn.(*ssa.Function); ok {
			return []call{{caller: c.caller, site: c.site, callee: f}}
		}
	}
	return nil
}

func (w *walk) asMethods(o origin, of *types.Interface, c call) []call {
	conversion, ok := o.value.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	var all []call
	for method := range of.Methods() {
		selection := w.prog.MethodSets.MethodSet(conversion.X.Type()).Lookup(method.Pkg(), method.Name())
		if selection == nil {
			continue
		}
		if f := w.prog.MethodValue(selection); f != nil {
			all = append(all, call{c.caller, c.site, f, conversion.X})
		}
	}
	return all
}

// isPlain reports whether an interface's methods have no effects, like those of
// errors and contexts.
func isPlain(t types.Type, underlying *types.Interface) bool {
	if underlying.NumMethods() == 0 {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	switch types.TypeString(named, nil) {
	case "error", "context.Context", "reflect.Type":
		return true
	}
	return false
}
