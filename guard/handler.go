package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/guard/internal/callctx"
)

// IdempotencyKey returns a key for a handler to pass to a system that
// deduplicates by keys, such as a payment provider. It has 64 hexadecimal
// characters, which are the same for every execution of the same call, also on
// another replica and after a crash. They are the same after a rename too, if
// the oldest name is the first alias. The key is made of digests, and reveals
// neither the principal nor the arguments. The second result is false if the
// call is not deduplicated: the tool is neither managed nor keyed, or it is
// keyed and the call has no key.
//
// The key stays the same after the record of the call has expired, or was given
// up because its result no longer holds. A system that remembers keys for
// longer therefore treats the next execution as a repetition.
func IdempotencyKey(ctx context.Context) (string, bool) {
	return callctx.IdempotencyKey(ctx)
}

// Forget forgets the outcome of an earlier call, so that the same call runs
// again. The handler that undoes an effect calls it last, with its context, the
// name of the tool that had the effect, and the key of that call: a map or
// struct with the tool's key fields, or with all arguments if the tool has
// none. It forgets calls of the same principal, on the same server, that were
// made without a key of the client. See [contract.Builder.ReplayWhile] for
// calls of other principals.
//
// It is no error if there is no such outcome, unless the key lacks a key field:
// a call with that key must be there, because a field that was left out by
// mistake would forget nothing in silence. An outcome that was unknown is
// forgotten too, because the handler knows that the effect is undone. The error
// wraps [ErrUnavailable] if the store cannot be reached. It is another error if
// ctx is not that of a call, or the key does not fit the tool. So it is if such
// a call is running, or an operator has settled its outcome. Then nothing is
// forgotten.
func Forget(ctx context.Context, tool string, key any) error {
	f := callctx.ForgetterFrom(ctx)
	if f == nil {
		return errors.New("guard: Forget: the context is not that of a call")
	}
	return f.Forget(ctx, tool, key)
}

// Progress reports the progress of a handler to the client: done of total,
// where a total of zero means unknown, and a note for people, which is
// sanitized. It does nothing outside a guarded call, after the answer, or if
// the client did not request progress. It is safe for concurrent use.
func Progress(ctx context.Context, done, total float64, note string) {
	callctx.Progress(ctx, done, total, note)
}
