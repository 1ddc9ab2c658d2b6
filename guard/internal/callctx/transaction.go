package callctx

import "context"

type transactionKey struct{}

// WithTransaction returns a context for a handler that has a transaction. hide
// removes that from the context of a call within the handler's call.
func WithTransaction(ctx context.Context, hide func(context.Context) context.Context) context.Context {
	return context.WithValue(ctx, transactionKey{}, hide)
}

// WithoutTransaction returns a context for another call, without the
// transaction of the call around it. The call may be of another guard.
func WithoutTransaction(ctx context.Context) context.Context {
	hide, ok := ctx.Value(transactionKey{}).(func(context.Context) context.Context)
	if !ok {
		return ctx
	}
	return hide(ctx)
}
