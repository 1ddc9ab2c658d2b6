package observe

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// An Observer has functions that run in place of a tool's own. If a field is
// nil, the tool's own function runs as always. The fields must be safe for
// concurrent use, because a guard uses them for concurrent calls.
type Observer struct {
	// Handler runs in place of the handler. It calls run, which runs the
	// handler with the call's input, and returns what run returns.
	Handler func(ctx context.Context, run func(context.Context) (any, error)) (any, error)
	// Authorize does the same for the function given to
	// [contract.Builder.Authorize].
	Authorize func(ctx context.Context, run func(context.Context) error) error
	// Reconcile does the same for the function given to
	// [contract.Builder.Reconcile]. What the function answers is not shown.
	Reconcile func(ctx context.Context, run func(context.Context) error) error
	// Resolved receives each resolution from the function given to
	// [contract.Builder.Resolve].
	Resolved func(contract.Resolution)
}

// Observed returns a copy of a tool that by observes. It has the same contract.
// The tool itself does not change.
func Observed(tool *contract.Tool, by Observer) *contract.Tool {
	observed := *tool
	bound.Rebind(&observed, observedTool{bound.Of(tool), by})
	return &observed
}

type observedTool struct {
	bound.Impl
	by Observer
}

func (t observedTool) Run(ctx context.Context, in any) (any, error) {
	if t.by.Handler == nil {
		return t.Impl.Run(ctx, in)
	}
	return t.by.Handler(ctx, func(ctx context.Context) (any, error) { return t.Impl.Run(ctx, in) })
}

func (t observedTool) Authorize(ctx context.Context, principal any, canonical []byte) error {
	if t.by.Authorize == nil {
		return t.Impl.Authorize(ctx, principal, canonical)
	}
	return t.by.Authorize(ctx, func(ctx context.Context) error { return t.Impl.Authorize(ctx, principal, canonical) })
}

func (t observedTool) Reconcile(ctx context.Context, canonical []byte, since time.Time) (r bound.Reconciled, err error) {
	if t.by.Reconcile == nil {
		return t.Impl.Reconcile(ctx, canonical, since)
	}
	err = t.by.Reconcile(ctx, func(ctx context.Context) error {
		r, err = t.Impl.Reconcile(ctx, canonical, since)
		return err
	})
	return r, err
}

func (t observedTool) Resolve(canonical []byte) (any, error) {
	resolution, err := t.Impl.Resolve(canonical)
	if r, ok := resolution.(contract.Resolution); ok && err == nil && t.by.Resolved != nil {
		t.by.Resolved(r)
	}
	return resolution, err
}
