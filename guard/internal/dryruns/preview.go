package dryruns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// previewDeadline ends a preview, or a check, of a tool that declares no
// timeout.
const previewDeadline = time.Minute

// undeclaredEffect is in the preview of a write that describes no effects.
const undeclaredEffect = "The changes of the call are not declared: expect effects outside this system that cannot be undone."

var errCallerLeft = errors.New("guard: the caller disconnected")

// Preview answers a dry run, which ends here: the handler is another function.
// If permissions are missing, the tool author's preview does not run either, so
// none of its data is disclosed.
func (pr *Previewer) Preview(ctx context.Context, c *DryRun, missing []string) *answer.Ending {
	if len(missing) > 0 {
		return pr.result(ctx, c, bound.Preview{MissingPermissions: missing})
	}
	ended, refused := pr.preview(ctx, c)
	if refused != nil {
		return answer.Refuse(refused)
	}
	c.Journal.NotePreviewed()
	if ended.Kind != running.Returned {
		return pr.failed(ctx, c, "preview", &ended)
	}
	p, _ := ended.Out.(bound.Preview)
	return pr.result(ctx, c, p)
}

// Precheck calls the tool author's function that reports why the call would
// fail. Nil: there is no reason.
func (pr *Previewer) Precheck(ctx context.Context, c *DryRun) *answer.Ending {
	impl, canonical := c.Tool.Impl, c.Args.Canonical
	ended, refused := pr.run(ctx, c, func(ctx context.Context) (any, error) { return nil, impl.Precheck(ctx, canonical) })
	switch {
	case refused != nil:
		return answer.Refuse(refused)
	case ended.Kind != running.Returned:
		return pr.failed(ctx, c, "check before the call", &ended)
	}
	return nil
}

// failed answers for a function, such as the preview, that returned no result.
func (pr *Previewer) failed(ctx context.Context, c *DryRun, function string, ended *running.Ended) *answer.Ending {
	switch ended.Kind { //nolint:exhaustive // the others have an error
	case running.TimedOut:
		return answer.Refuse(answer.NewRefusal(contract.CodeTimeout, "the "+function+" did not end in time; nothing was done"))
	case running.GivenUp:
		return answer.Refuse(answer.Closing())
	case running.CallerLeft:
		c.Journal.Blame(ended.Err)
		return results.Cancelled("nothing was done")
	}
	return pr.checker.Failed(ctx, &c.View, ended, "")
}

// preview calls the tool author's preview.
func (pr *Previewer) preview(ctx context.Context, c *DryRun) (running.Ended, *answer.Refusal) {
	impl, canonical := c.Tool.Impl, c.Args.Canonical
	return pr.run(ctx, c, func(ctx context.Context) (any, error) { return impl.Preview(ctx, canonical) })
}

// run calls a function of the tool author on a goroutine of its own, contained
// as a handler is. It ends with ctx, because the function has no effects to
// finish. A refusal means that it was not called. It takes its own concurrency
// slot, because the call may already hold one or need one soon.
func (pr *Previewer) run(
	ctx context.Context, c *DryRun, f func(context.Context) (any, error),
) (running.Ended, *answer.Refusal) {
	s, full := pr.running.Take(ctx, c.Tool.Slots, true, c.Tool.Doc.Timeout)
	if full != nil {
		return running.Ended{}, full
	}
	limit := cmp.Or(c.Tool.Doc.Timeout, previewDeadline)
	ctx, stop := context.WithTimeoutCause(s.Context(), limit, running.ErrTimeout)
	done := make(chan running.Ended, 1)
	go func() {
		ended := running.Ended{Kind: running.Panicked, Err: contain.ErrGoexit}
		defer func() {
			s.Free() // before the answer, because the call may need the slot at once
			done <- ended
			stop() // after the answer, because a ctx that ended means that there is no answer
			s.Context().End(nil)
		}()
		ended = pr.running.Handle(ctx, f)
	}()
	select {
	case ended := <-done:
		return ended, nil
	case <-ctx.Done():
	}
	select {
	case ended := <-done: // ctx also ends when the function ends
		return ended, nil
	default:
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, running.ErrTimeout):
		return running.Timeout(), nil
	case errors.Is(cause, running.ErrGivenUp):
		return running.Closed(), nil
	default:
		return running.Ended{Kind: running.CallerLeft, Err: errCallerLeft}, nil
	}
}

// Members makes a dry run for the question about the call, and returns the
// members of the preview. A refusal means that the preview cannot run now.
func (pr *Previewer) Members(ctx context.Context, c *DryRun) (members map[string]any, refused *answer.Refusal, err error) {
	ended, refused := pr.preview(ctx, c)
	switch {
	case refused != nil:
		return nil, refused, nil
	case ended.Kind == running.GivenUp:
		return nil, answer.Closing(), nil
	case ended.Kind == running.CallerLeft:
		return nil, answer.Unavailable("the caller disconnected before the question").Because(ended.Err), nil
	case results.FailedAsDeclared(c.Tool, &ended): // the call would fail too, so no person is asked
		return nil, &answer.Refusal{Code: ended.Failure.Code(), Failure: ended.Failure, Cause: ended.Err}, nil
	case ended.Kind != running.Returned:
		return nil, nil, ended.Err
	}
	p, _ := ended.Out.(bound.Preview)
	_, tree, err := c.Tool.Impl.EncodePreview(p)
	members, _ = tree.(map[string]any)
	return members, nil, err
}

// result returns the result of a dry run, checked against the preview's own
// schema.
func (pr *Previewer) result(ctx context.Context, c *DryRun, p bound.Preview) *answer.Ending {
	if len(p.ExpectedSideEffects) == 0 {
		p.ExpectedSideEffects = declaredEffects(c.Doc)
	}
	raw, tree, err := c.Tool.Impl.EncodePreview(p)
	clean := results.Sanitizer{}
	if err == nil {
		raw, err = clean.Structured(c.Tool.Impl.Facts().PreviewSchema, raw, tree)
	}
	if e, ok := errors.AsType[*results.TooLargeError](results.TooMany(c.Tool, "preview", len(raw), err)); ok {
		return answer.Refuse(e.Refusal(c.Tool, "; nothing was done"))
	}
	if err != nil {
		return pr.checker.Unusable(ctx, "the preview breaks its schema; nothing was done", err)
	}
	if c.Tool.RequiresDryRun && len(p.MissingPermissions) == 0 {
		raw = fmt.Appendf(raw[:len(raw)-1:len(raw)-1], `,"dryRunToken":%q}`, pr.newToken(c, raw))
	}
	r := &exchange.Result{
		Text: results.DelimitStructured(c.Tool, raw), Structured: raw,
		Outcome: contract.Outcome{Status: contract.StatusDryRun, Sanitized: clean.Removed, Removed: clean.Removals},
	}
	if e, ok := errors.AsType[*results.TooLargeError](results.CheckSize(c.Tool, "preview", r, &clean)); ok {
		return answer.Refuse(e.Refusal(c.Tool, "; nothing was done"))
	}
	return answer.Of(r)
}

// declaredEffects returns the effects for a preview that names none itself.
func declaredEffects(d *contract.Document) []string {
	var effects []string
	for _, e := range d.SideEffects {
		effects = append(effects, e.Description)
	}
	if len(effects) == 0 && d.Effect != risk.ReadOnly {
		effects = []string{undeclaredEffect}
	}
	return effects
}
