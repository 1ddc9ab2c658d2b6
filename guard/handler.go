package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/guard/internal/callctx"
)

// IdempotencyKey returns a key for a handler to pass to a system that
// deduplicates by keys, such as a payment provider. The key has 64 hexadecimal
// characters and is the same for every execution of the same operation, even on
// another replica or after a crash. It survives a rename of the tool if the
// oldest name is the first alias. The second result is false if the call is not
// deduplicated: the tool is neither managed nor keyed, or it is keyed and the
// call has no key.
//
// A call that runs anew has another key: after [Forget], once its result no
// longer holds ([contract.Builder.ReplayWhile], [contract.Builder.ReplayUntil]),
// if the system has said that the earlier one cannot happen
// ([contract.Builder.Reconcile]), or if it follows a failed call with other
// arguments. Only the record remembers that. Once it has expired, the first key
// is used again, and a system that remembers keys for longer mistakes the call
// for a retry. So keep records at least as long as the system keeps its keys.
//
// The key is not a secret. It is a hash of the principal, the tool and the
// declared key, and no secret of the server goes into it: whoever can guess all
// three can compute it.
func IdempotencyKey(ctx context.Context) (string, bool) {
	o := callctx.OperationFrom(ctx)
	if o == nil {
		return "", false
	}
	return o.Key(), true
}

// OperationID returns the OperationID that the call's answer will have in
// [contract.Outcome], for a handler that shows it to people or passes it on.
// The second result is false if the answer will have none.
func OperationID(ctx context.Context) (string, bool) {
	o := callctx.OperationFrom(ctx)
	if o == nil {
		return "", false
	}
	return o.Name, o.Name != ""
}

// Forget forgets the outcome of an earlier call, so that the same call runs
// again. A handler that undoes an effect calls it last, with its own context,
// the name of the tool that had the effect, and the key of that call: a map or
// struct with the tool's key fields, or with all arguments if the tool has
// none. It forgets calls of the same principal, on the same server, that were
// made without a client's key. See [contract.Builder.ReplayWhile] for calls of
// other principals.
//
// Having no such outcome to forget is not an error, unless the key lacks a key
// field: leaving out a field by mistake would otherwise forget nothing in
// silence, so a call with exactly that key must be on record. An outcome that
// was unknown is forgotten too, because the handler knows that the effect is
// undone. The error wraps [ErrUnavailable] if the store cannot be reached.
// Forget also fails if ctx is not that of a call, if the key does not fit the
// tool, if such a call is running, or if an operator has settled its outcome. In
// these cases nothing is forgotten.
func Forget(ctx context.Context, tool string, key any) error {
	f := callctx.RecordsFrom(ctx)
	if f == nil {
		return errors.New("guard: Forget: the context is not that of a call")
	}
	return f.Forget(ctx, tool, key)
}

// Progress reports a handler's progress to the client: done of total, where a
// total of zero means unknown, and a note for people, which is sanitized. It
// does nothing outside a guarded call, after the answer, or if the client did
// not request progress. It is safe for concurrent use.
func Progress(ctx context.Context, done, total float64, note string) {
	callctx.Progress(ctx, done, total, note)
}
