package bound

// A Half is embedded in a built tool and holds its private part. It has no
// exported methods, because they would become methods of the tool.
type Half struct{ tool Tool }

// Bind returns the half of t.
func Bind(t Tool) Half { return Half{t} }

func (h *Half) half() Tool { return h.tool }

func (h *Half) rebind(t Tool) { h.tool = t }

// Of returns the private half of a built tool.
func Of(tool interface{ half() Tool }) Tool { return tool.half() }

// Rebind gives a copy of a built tool another private half. Tests of contracts
// observe the functions of a tool in this way. Never pass a tool that others
// may use, because tools are immutable.
func Rebind(tool interface{ rebind(t Tool) }, t Tool) { tool.rebind(t) }
