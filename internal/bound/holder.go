package bound

// A Holder holds the Impl of a built tool, which embeds it. It has no exported
// methods, because they would become methods of the tool.
type Holder struct{ impl Impl }

// Bind returns a holder of i.
func Bind(i Impl) Holder { return Holder{i} }

func (h *Holder) implementation() Impl { return h.impl }

func (h *Holder) rebind(i Impl) { h.impl = i }

// Of returns the Impl of a built tool.
func Of(tool interface{ implementation() Impl }) Impl { return tool.implementation() }

// Rebind gives a copy of a built tool another Impl. Tests of contracts use it
// to observe a tool's functions. Never pass a tool that others may use, because
// tools are immutable.
func Rebind(tool interface{ rebind(i Impl) }, i Impl) { tool.rebind(i) }
