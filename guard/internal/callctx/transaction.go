package callctx

import "context"

type transactionKey struct{}

// WithTransaction returns a context for a handler that has a transaction. hide
// removes the transaction from the context of a nested call.
func WithTransaction(ctx context.Context, hide func(context.Context) context.Context) context.Context {
	return context.WithValue(ctx, transactionKey{}, hide)
}

// WithoutTransaction returns a context for a nested call, without the
// transaction of the enclosing one. The nested call may go through another
// guard.
func WithoutTransaction(ctx context.Context) context.Context {
	hide, ok := ctx.Value(transactionKey{}).(func(context.Context) context.Context)
	if !ok {
		return ctx
	}
	return hide(ctx)
}
