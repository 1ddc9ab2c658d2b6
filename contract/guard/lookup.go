package guard

import "github.com/toolcontract/toolcontract/risk"

// lookup finds out who calls, for whether a tool exists may depend on it: a
// forbidden tool does not exist for an agent, whatever else is wrong.
func lookup(c *call) *Result {
	c.principal, c.principalErr = c.set.guard.findPrincipal(c.ctx)
	if c.entry.doc.Risk == risk.Forbidden && (c.principalErr != nil || !c.principal.isPerson()) {
		c.unknown, c.cause = true, c.principalErr
		return &Result{}
	}
	return nil
}
