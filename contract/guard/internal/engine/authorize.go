package engine

import (
	"bytes"
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
)

// authorize checks the permissions that the call needs for these arguments, and
// calls the Authorizer and the tool's own function. It returns the permissions
// that are still missing, which a dry run names.
func authorize(u understood) (missing []string, a *answer.Answer) {
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
	case u.waives(facts.ClauseObject):
		u.log.Blame(fmt.Errorf("not enforced: object authorization: %w", err))
		return missing, nil
	default:
		return missing, denied(err, "the caller may not make this call with these arguments, or they name something that "+
			"does not exist")
	}
}

// denied refuses a call that a function of an author did not allow.
func denied(err error, message string) *answer.Answer {
	if contain.IsUnavailable(err) {
		return answer.Refuse(answer.Unavailable("whether the caller may make the call cannot be decided now").Because(err))
	}
	return answer.Refuse(answer.NewRefusal(contract.CodePermissionDenied, message).Because(err))
}

// authorized calls the Authorizer for this call, or about a dry run of it.
func (u *understood) authorized(dryRun bool) error {
	g := u.engine
	if g.config.Authorize == nil {
		return nil
	}
	by, arguments := facts.CopyOf(*u.principal), bytes.Clone(u.args.Canonical)
	return u.permitted(func(ctx context.Context) error { return g.config.Authorize(ctx, by, u.doc, arguments, dryRun) })
}

// authorizedByTool calls the tool author's function with the arguments.
func (u *understood) authorizedByTool() error {
	t := u.tool.Half
	if !t.Facts().Has.Authorize {
		return nil
	}
	return u.permitted(func(ctx context.Context) error { return t.Authorize(ctx, facts.CopyOf(*u.principal), u.args.Canonical) })
}

// permitted calls a function of an author, contained.
func (u *understood) permitted(decide func(context.Context) error) error {
	_, err := contain.Author(u.ctx, u.engine.authors, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, decide(ctx)
	})
	return err
}
