package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

// previewDeadline ends a preview of a tool that declares no timeout.
const previewDeadline = time.Minute

// undeclaredEffect stands in a preview where a write says nothing of its own.
const undeclaredEffect = "What the call changes is not declared: count with effects outside this system that cannot be undone."

// hasPreview reports whether callers may run the tool dry.
func hasPreview(e *entry) bool {
	return e.doc.DryRun == dryrun.Supported || e.doc.DryRun == dryrun.Required
}

// preview answers a dry run, which ends here: the handler is another function.
// Where permissions are missing the author's does not run either, and nothing of
// its data leaves.
func preview(c *call) *Result {
	switch {
	case !c.args.DryRun:
		return nil
	case c.principal.IsAnonymous():
		return c.refuse(contract.CodeUnauthenticated, "a dry run needs an authenticated caller")
	case c.isDenied():
		return c.previewed(bound.Preview{MissingPermissions: c.missing})
	}
	p, refusal, err := c.tryOut(c.ctx)
	c.tried = refusal == nil
	switch {
	case refusal != nil:
		return refusal
	case errors.Is(err, errTimeout):
		return c.refuse(contract.CodeTimeout, "the preview did not end in time; nothing was done")
	case errors.Is(err, errGivenUp):
		return c.closing()
	case errors.Is(err, errCallerLeft):
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the caller went away before the preview ended", unavailableDelay)
	case err != nil:
		c.err = err
		return c.handlerError()
	}
	return c.previewed(p)
}

var errCallerLeft = errors.New("guard: the caller went away")

// tryOut calls the author's preview on a goroutine of its own, contained like a
// handler, in one of the places of maxConcurrent. It ends with ctx: there is
// nothing to finish. The refusal says that it was not called. It has a place of
// its own and leaves the call's alone, which may be about to run, or have one.
func (c *call) tryOut(ctx context.Context) (p bound.Preview, refusal *Result, err error) {
	g, t := c.set.guard, c.settled()
	t.isolated = true
	if refusal := t.take(ctx); refusal != nil {
		return p, refusal, nil
	}
	limit := previewDeadline
	if ms := c.entry.doc.TimeoutMs; ms > 0 {
		limit = time.Duration(ms) * time.Millisecond
	}
	ctx, stop := context.WithTimeoutCause(t.runCtx, limit, errTimeout)
	type trial struct {
		out any
		err error
	}
	done := make(chan trial, 1)
	go func() {
		r := trial{err: contain.ErrGoexit}
		defer func() {
			t.leave() // before the answer, for the call may need the slot at once
			g.end(t)
			done <- r
			stop() // after it, for the end of ctx means that there is none
			t.cancel(nil)
		}()
		r.out, r.err = t.handle(ctx, func(ctx context.Context) (any, error) { return c.entry.bound.Preview(ctx, c.args.In) })
	}()
	ended := func(r trial) (bound.Preview, *Result, error) {
		p, _ := r.out.(bound.Preview)
		return p, nil, r.err
	}
	select {
	case r := <-done:
		return ended(r)
	case <-ctx.Done():
	}
	select {
	case r := <-done: // its end ends ctx too
		return ended(r)
	default:
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout), errors.Is(cause, errGivenUp):
		return p, nil, cause
	default:
		return p, nil, errCallerLeft
	}
}

// previewed makes the result of a dry run, held to the preview's own schema.
func (c *call) previewed(p bound.Preview) *Result {
	if len(p.ExpectedSideEffects) == 0 {
		p.ExpectedSideEffects = c.declaredEffects()
	}
	raw, tree, err := c.entry.bound.EncodePreview(p)
	clean := sanitizer{}
	if err == nil {
		raw, err = c.structured(&clean, c.entry.bound.PreviewSchema, raw, tree)
	}
	if err != nil {
		return c.invalidPreview(err)
	}
	if requiresDryRun(c.entry) && len(p.MissingPermissions) == 0 {
		raw = fmt.Appendf(raw[:len(raw)-1:len(raw)-1], `,"dryRunToken":%q}`, c.dryRunToken(raw))
	}
	r := &Result{Text: string(raw), Structured: raw, Outcome: contract.Outcome{Status: contract.StatusDryRun, Sanitized: clean.removed}}
	if c.tooLarge(r, 0) {
		return c.invalidPreview(errTooLarge)
	}
	return r
}

func (c *call) invalidPreview(why error) *Result {
	c.cause = why
	return c.refuse(contract.CodeOutputInvalid, "the preview breaks its schema or is too large; nothing was done")
}

// declaredEffects is what a preview expects where it does not say so itself.
func (c *call) declaredEffects() []string {
	var effects []string
	for _, e := range c.doc.SideEffects {
		effects = append(effects, e.Description)
	}
	if len(effects) == 0 && c.doc.Effect != risk.ReadOnly {
		effects = []string{undeclaredEffect}
	}
	return effects
}
