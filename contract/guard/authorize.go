package guard

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
)

// An Action is what a principal wants to do.
type Action struct {
	// Principal is who wants it.
	Principal Principal
	// Contract is the tool's contract, as it holds for these arguments. Do not
	// change it.
	Contract *contract.Document
	// Arguments is the valid arguments' canonical JSON, defaults filled in.
	Arguments json.RawMessage
	// DryRun says that only a preview is asked for. To deny it denies that.
	DryRun bool
}

// An Authorizer has the last word on who may call what. Nil allows; an error
// denies, its text goes to the audit log alone. A panic, or no answer within 10
// seconds, denies. It is called by many goroutines at once.
type Authorizer func(context.Context, Action) error

func authorize(c *call) *Result {
	if !c.args.DryRun && c.isDenied() {
		return c.lacks()
	}
	if err := c.authorized(c.args.DryRun); err != nil {
		c.cause = err
		return c.refuse(contract.CodePermissionDenied, "a policy of this server denies the call")
	}
	return nil
}

// authorized asks the Authorizer about this call, or about a dry run of it.
func (c *call) authorized(dryRun bool) error {
	if c.set.guard.authorizer == nil {
		return nil
	}
	action := Action{Principal: c.principal, Contract: c.doc, Arguments: bytes.Clone(c.args.Canonical), DryRun: dryRun}
	_, err := contained(c.ctx, c.set.guard, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, c.set.guard.authorizer(ctx, action)
	})
	return err
}
