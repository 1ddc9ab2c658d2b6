package callctx

import (
	"context"

	"github.com/toolcontract/toolcontract/internal/operation"
)

type operationKey struct{}

// An Operation is the operation of the call that a context belongs to. It is
// set once the call is claimed, before the handler runs.
type Operation struct {
	operation.Operation

	// Name is what everybody may call the operation. It is empty if it is hidden,
	// and before the call is claimed.
	Name string
}

// WithOperation returns a context with a call's operation.
func WithOperation(ctx context.Context, o *Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, o)
}

// OperationFrom returns the operation of the call that a context belongs to, or
// nil if the call is not deduplicated.
func OperationFrom(ctx context.Context) *Operation {
	o, _ := ctx.Value(operationKey{}).(*Operation)
	return o
}
