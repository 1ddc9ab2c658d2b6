package guard

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
)

// An Action is what a principal wants to do.
type Action struct {
	// Principal makes the call.
	Principal Principal
	// Contract is the tool's contract, resolved for these arguments. Do not
	// change it.
	Contract *contract.Document
	// Arguments is the canonical JSON of the valid arguments, with defaults.
	Arguments json.RawMessage
	// DryRun means that the principal wants only a preview. An error then
	// denies that preview.
	DryRun bool
}

// An Authorizer decides whether a principal may call a tool, after permissions
// were checked. A nil error allows the call. Any other error denies it, and its
// text goes only to the audit log. A panic, or no answer within 10 seconds,
// also denies it. It is called concurrently.
type Authorizer func(context.Context, Action) error

// authorize checks the permissions that the call needs for these arguments, and
// asks the Authorizer. It returns the permissions that are still missing, which
// a dry run names.
func authorize(u understood) (missing []string, a *answer) {
	missing = u.missing
	if !u.args.DryRun {
		if missing = enforced(u.identified); len(missing) > 0 {
			return missing, lacks(missing)
		}
	}
	if err := u.authorized(u.args.DryRun); err != nil {
		return missing, refuse(refusal.New(contract.CodePermissionDenied, "a policy of this server denies the call").Because(err))
	}
	return missing, nil
}

// authorized asks the Authorizer about this call, or about a dry run of it.
func (u *understood) authorized(dryRun bool) error {
	g := u.guard
	if g.authorizer == nil {
		return nil
	}
	action := Action{Principal: u.principal, Contract: u.doc, Arguments: bytes.Clone(u.args.Canonical), DryRun: dryRun}
	_, err := contained(u.ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.authorizer(ctx, action) })
	return err
}
