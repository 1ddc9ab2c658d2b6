package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// admit holds the call to what can be said without reading the arguments:
// first the permissions, so that nobody learns anything of a tool they may not
// use, then how often it comes, so that a flood of calls that are not valid ends
// here, then the form of the call and its size.
func admit(c *call) *Result {
	d := &c.entry.doc
	c.missing = c.principal.Missing(d.Permissions)
	if resolves(c.entry) && len(d.DiscoverWith) > 0 && !c.sees() {
		c.missing = c.principal.Missing(d.DiscoverWith) // with these, a call may need no others
	}
	if later := (hasPreview(c.entry) || resolves(c.entry)) && c.sees(); !later && c.isDenied() {
		return c.lacks()
	}
	if refusal := c.charge(); refusal != nil {
		return refusal
	}
	if c.req.Task {
		return c.refuse(contract.CodeInvalidInput, "the tool does not run as a task; call it without one")
	}
	limit := d.MaxArgumentBytes
	if limit == 0 {
		limit = contract.DefaultMaxArgumentBytes
	}
	if int64(len(c.req.Arguments)) > limit {
		return c.violated(contract.Violation{Rule: "size", Message: fmt.Sprintf("must be at most %d bytes", limit)})
	}
	return nil
}

// isDenied reports whether permissions are missing that are kept.
func (c *call) isDenied() bool {
	if len(c.missing) > 0 && c.waives(clausePermissions) {
		c.cause = errors.New("not kept: missing permissions: " + strings.Join(c.missing, ", "))
		c.missing = nil
	}
	return len(c.missing) > 0
}

// sees reports whether the caller may know of the tool. Who does, and lacks
// permissions, may need fewer for these arguments, and is told by a dry run
// which.
func (c *call) sees() bool { return c.set.guard.isShown(&c.entry.doc, c.principal) }

// isShown reports whether a principal holds what shows a tool in the list, where
// that is not only watched.
func (g *Guard) isShown(d *contract.Document, p Principal) bool {
	if g.auditOnly[d.Name][clausePermissions] {
		return !p.IsAnonymous()
	}
	needed := d.DiscoverWith
	if len(needed) == 0 {
		needed = d.Permissions
	}
	return len(p.Missing(needed)) == 0 && !(d.NeedsPrincipal() && p.IsAnonymous())
}

func (c *call) lacks() *Result {
	r := c.refuse(contract.CodePermissionDenied, "missing permissions: "+strings.Join(c.missing, ", "))
	r.Outcome.MissingPermissions = slices.Clone(c.missing)
	return r
}
