package guard

import "time"

// IdentifiesCallers reports whether the guard was made with [WithPrincipal].
// Without it, every caller is anonymous. Servers use it to refuse an address
// that others can reach.
func (g *Guard) IdentifiesCallers() bool { return g.principal != nil }

// Drain returns how long [Guard.Close] waits for running handlers, as
// [WithDrain] sets it.
func (g *Guard) Drain() time.Duration { return g.drain }
