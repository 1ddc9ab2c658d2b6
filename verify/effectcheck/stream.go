package effectcheck

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// ofReceiver returns the capability of a call that writes to an open file.
// Standard output and standard error belong to the process and its log, so
// writing to them is not a tool's effect.
func (w *walk) ofReceiver(c call) Capability {
	t := &trace{walk: w, seen: map[ssa.Value]bool{}, visits: new(int), everywhere: true}
	written := t.receivers(c)
	if len(written) == 0 || slices.ContainsFunc(written, func(o origin) bool { return !w.isStreamLoad(o.value) }) {
		return filesWrite
	}
	return safeCall
}

// receivers returns the origins of the file that a method is called on.
func (t *trace) receivers(c call) []origin {
	switch {
	case c.receiver != nil:
		return t.of(c.receiver, c)
	case c.site == nil:
		return nil
	case !c.site.Common().IsInvoke():
		if file := c.argument(0); file != nil {
			return t.of(file, c)
		}
		return nil
	}
	var all []origin
	for _, o := range t.of(c.site.Common().Value, c) {
		conversion, ok := o.value.(*ssa.MakeInterface)
		switch {
		case !ok:
			all = append(all, o)
		case isFile(conversion.X.Type()):
			all = append(all, t.of(conversion.X, o.call)...)
		}
	}
	return all
}

// isStream reports whether a variable is os.Stdout or os.Stderr and no part of
// the server sets it. Package testing may, because it does so for examples.
func (p *program) isStream(v *ssa.Global) bool {
	return v.Pkg.Pkg.Path() == "os" && (v.Name() == "Stdout" || v.Name() == "Stderr") &&
		!slices.ContainsFunc(p.stores.globals[v], func(set ssa.Value) bool {
			f := set.Parent()
			return f == nil || packageOf(f) == nil || !slices.Contains([]string{"os", "testing"}, packageOf(f).Pkg.Path())
		})
}

func (p *program) isStreamLoad(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && p.isStream(global)
}

// allCallers returns the calls of a function anywhere in the server.
func (p *program) allCallers(f *ssa.Function) []call {
	var all []call
	if node := p.whole.Nodes[f]; node != nil {
		for _, edge := range node.In {
			all = append(all, call{caller: edge.Caller.Func, site: edge.Site, callee: f})
		}
	}
	return all
}
