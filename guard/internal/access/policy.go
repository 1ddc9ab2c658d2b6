package access

import (
	"bytes"
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// A Request is a call with valid arguments, for the functions that decide about
// them.
type Request struct {
	facts.View

	Missing []string // the permissions that the principal lacks
}

// Authorize checks the permissions that the call needs for these arguments, and
// calls the Authorizer and the tool's own function. It returns the permissions
// that are still missing, which a dry run names.
func (g *Gate) Authorize(ctx context.Context, r *Request) (missing []string, refused *answer.Refusal) {
	missing = r.Missing
	if !r.Args.DryRun {
		if missing = Enforced(missing, r.Journal); len(missing) > 0 {
			return missing, refuseMissing(missing)
		}
	}
	if err := g.callAuthorizer(ctx, r, r.Args.DryRun); err != nil {
		return missing, denied(err, "a policy of this server denies the call")
	}
	switch err := g.callToolAuthorizer(ctx, r); {
	case err == nil:
		return missing, nil
	case r.Journal.Waives(facts.ClauseObject):
		r.Journal.Blame(fmt.Errorf("not enforced: object authorization: %w", err))
		return missing, nil
	default:
		return missing, denied(err, "the caller may not make this call with these arguments, or they name something that "+
			"does not exist")
	}
}

// MayPreview reports whether the Authorizer allows a dry run of the call.
func (g *Gate) MayPreview(ctx context.Context, r *Request) bool {
	return g.callAuthorizer(ctx, r, true) == nil
}

// denied refuses a call that an author's function did not allow.
func denied(err error, message string) *answer.Refusal {
	if contain.IsUnavailable(err) {
		return answer.Unavailable("whether the caller may make the call cannot be decided now").Because(err)
	}
	return answer.NewRefusal(contract.CodePermissionDenied, message).Because(err)
}

func (g *Gate) callAuthorizer(ctx context.Context, r *Request, dryRun bool) error {
	if g.Config.Authorize == nil {
		return nil
	}
	by := facts.CopyOf(*r.Principal)
	arguments := bytes.Clone(r.Args.Canonical)
	doc := r.Doc
	return g.decide(ctx, func(ctx context.Context) error { return g.Config.Authorize(ctx, by, doc, arguments, dryRun) })
}

// callToolAuthorizer calls the tool author's function with the arguments.
func (g *Gate) callToolAuthorizer(ctx context.Context, r *Request) error {
	t := r.Tool.Impl
	if !t.Facts().Has.Authorize {
		return nil
	}
	by := facts.CopyOf(*r.Principal)
	canonical := r.Args.Canonical
	return g.decide(ctx, func(ctx context.Context) error { return t.Authorize(ctx, by, canonical) })
}

// decide calls a function of an author, contained.
func (g *Gate) decide(ctx context.Context, decision func(context.Context) error) error {
	_, err := contain.Author(ctx, g.authors, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, decision(ctx)
	})
	return err
}

// Resolve calls the tool author's function that weakens the contract for some
// arguments, contained. If the function fails, the first error is its error,
// and the declared contract applies. A resolution that is stricter than the
// contract, or weaker than its Least, is the second error.
func (g *Gate) Resolve(
	ctx context.Context, t *facts.ProtectedTool, canonical []byte,
) (doc *contract.Document, failed, err error) {
	impl := t.Impl
	returned, failed := contain.Author(ctx, g.authors, func(context.Context) (any, error) {
		return impl.Resolve(bytes.Clone(canonical))
	})
	if failed != nil {
		return &t.Doc, fmt.Errorf("guard: Resolve: %w", failed), nil
	}
	r, _ := returned.(contract.Resolution)
	now, err := t.Declared.Resolved(r)
	if err != nil {
		return nil, nil, err
	}
	return &now, nil, nil
}

// MustAsk calls the tool author's function, contained. If the function fails,
// the person is asked.
func (g *Gate) MustAsk(ctx context.Context, t bound.Impl, canonical []byte) bool {
	must, err := contain.Author(ctx, g.authors, func(context.Context) (bool, error) { return t.MustAsk(canonical), nil })
	return err != nil || must
}

// Text calls a function of the tool author that writes a text about a call,
// contained.
func (g *Gate) Text(ctx context.Context, write func([]byte) (string, error), canonical []byte) (string, error) {
	return contain.Author(ctx, g.authors, func(context.Context) (string, error) { return write(canonical) })
}
