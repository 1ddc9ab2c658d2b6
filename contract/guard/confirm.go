package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
)

func asks(e *entry) bool {
	return e.doc.Confirmation != contract.ConfirmationNever
}

// confirm refuses a call that a person has to confirm: there is no way yet to
// ask one.
func confirm(c *call) *Result {
	if c.entry.doc.Confirmation == contract.ConfirmationWhen {
		ask, err := contained(c.ctx, c.set.guard, func(context.Context) (bool, error) {
			return c.entry.bound.MustAsk(c.args.Canonical), nil
		})
		if err == nil && !ask {
			return nil
		}
		c.cause = err
	}
	return c.refuse(contract.CodeConfirmationRequired, "a person must confirm this call, and this server cannot ask one")
}
