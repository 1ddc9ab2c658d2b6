package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
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
// The key stays the same after the record of the call has expired. A system
// that remembers keys for longer than the contract's retention therefore treats
// the next execution as a repetition.
func IdempotencyKey(ctx context.Context) (string, bool) {
	return running.IdempotencyKey(ctx)
}

// Progress reports the progress of a handler to the client: done of total,
// where a total of zero means unknown, and a note for people, which is
// sanitized. It does nothing outside a guarded call, after the answer, or if
// the client did not request progress. It is safe for concurrent use.
func Progress(ctx context.Context, done, total float64, note string) {
	running.Progress(ctx, done, total, note)
}
