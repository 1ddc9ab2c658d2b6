package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
// text goes only to the audit log. An error that wraps [ErrUnavailable] answers
// unavailable instead. A panic, or no answer within 10 seconds, denies the
// call. It is called concurrently.
type Authorizer func(context.Context, Action) error

// authorize checks the permissions that the call needs for these arguments, and
// calls the Authorizer and the tool's own function. It returns the permissions
// that are still missing, which a dry run names.
func authorize(u understood) (missing []string, a *answer) {
	missing = u.missing
	if !u.args.DryRun {
		if missing = enforced(u.identified); len(missing) > 0 {
			return missing, lacks(missing)
		}
	}
	if err := u.authorized(u.args.DryRun); err != nil {
		return missing, denied(err, "a policy of this server denies the call")
	}
	switch err := u.authorizedByTool(); {
	case err == nil:
		return missing, nil
	case u.waives(clauseObject):
		u.log.blame(fmt.Errorf("not enforced: object authorization: %w", err))
		return missing, nil
	default:
		return missing, denied(err, "the caller may not make this call with these arguments, or they name something that does not exist")
	}
}

// denied refuses a call that a function of an author did not allow.
func denied(err error, message string) *answer {
	if e, ok := errors.AsType[*authorError](err); ok && e.unavailable {
		return refuse(refusal.Unavailable("whether the caller may make the call cannot be decided now").Because(err))
	}
	return refuse(refusal.New(contract.CodePermissionDenied, message).Because(err))
}

// authorized calls the Authorizer for this call, or about a dry run of it.
func (u *understood) authorized(dryRun bool) error {
	g := u.guard
	if g.authorizer == nil {
		return nil
	}
	action := Action{Principal: copyOf(*u.principal), Contract: u.doc, Arguments: bytes.Clone(u.args.Canonical), DryRun: dryRun}
	return u.permitted(func(ctx context.Context) error { return g.authorizer(ctx, action) })
}

// authorizedByTool calls the tool author's function with the arguments.
func (u *understood) authorizedByTool() error {
	t := u.tool.bound
	if !t.Facts().Has.Authorize {
		return nil
	}
	return u.permitted(func(ctx context.Context) error { return t.Authorize(ctx, copyOf(*u.principal), u.args.Canonical) })
}

// permitted calls a function of an author, contained.
func (u *understood) permitted(decide func(context.Context) error) error {
	_, err := contained(u.ctx, u.guard, func(ctx context.Context) (struct{}, error) { return struct{}{}, decide(ctx) })
	return err
}
