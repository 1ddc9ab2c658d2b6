package callctx

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

type idempotencyKey struct{}

// IdempotencyKey returns the key that the handler of a call passes to a system
// that deduplicates. It reports false if the call is not deduplicated.
func IdempotencyKey(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(idempotencyKey{}).(store.Digest)
	if !ok {
		return "", false
	}
	return id.String(), true
}

// WithIdempotencyKey returns a context with the key of a call.
func WithIdempotencyKey(ctx context.Context, key store.Key) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key.ID)
}

type progressKey struct{}

// A reporter passes on progress until the call is answered.
type reporter struct {
	mu   sync.Mutex
	send func(done, total float64, note string) // nil once the call is answered
}

func (r *reporter) report(done, total float64, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.send != nil {
		r.send(done, total, note)
	}
}

func (r *reporter) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send = nil
}

// Progress reports a handler's progress to the client.
func Progress(ctx context.Context, done, total float64, note string) {
	r, _ := ctx.Value(progressKey{}).(*reporter)
	if r == nil {
		return
	}
	clean, _ := trust.Sanitize(text.Cut(note, text.MaxNote))
	r.report(done, total, clean)
}

// WithProgress returns a context whose handler reports to send, which may be
// nil, and the function that stops the reports. Nothing is sent once it has
// returned.
func WithProgress(ctx context.Context, send func(done, total float64, note string)) (context.Context, func()) {
	if send == nil {
		return ctx, func() {}
	}
	r := &reporter{send: send}
	return context.WithValue(ctx, progressKey{}, r), r.end
}
