package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/store"
)

// ResolveUnknown records an operator's finding about a managed call with an
// unknown outcome. The lookup key is in the call's audit events. After
// [store.Happened], repetitions answer already_done. After
// [store.DidNotHappen], the next repetition runs.
//
// The finding is durably in the audit log before it takes effect, under the
// principal of ctx, which must be authenticated. The program that calls
// ResolveUnknown decides which principals may do so. The error wraps
// [store.ErrNotFound] if the record has expired or never was, and
// [store.ErrNotUnknown] if the outcome is known or the call is still running.
func (g *Guard) ResolveUnknown(ctx context.Context, lookupKey string, r store.Settlement) error {
	return g.engine.ResolveUnknown(ctx, lookupKey, r)
}
