package guard

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// admit holds the call to what can be said without reading the arguments:
// first the permissions, so that nobody learns anything of a tool they may not
// use, then the form of the call and its size.
func admit(c *call) *Result {
	d := &c.entry.doc
	if missing := c.principal.Missing(d.Permissions); len(missing) > 0 {
		return c.refuse(contract.CodePermissionDenied, "missing permissions: "+strings.Join(missing, ", "))
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
