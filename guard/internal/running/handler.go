package running

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

type keyContext struct{}

// IdempotencyKey returns the key that the handler of a call passes to a system
// that deduplicates. It is false if the call is not deduplicated.
func IdempotencyKey(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(keyContext{}).(store.Digest)
	if !ok {
		return "", false
	}
	return id.String(), true
}

// WithIdempotencyKey returns a context whose handler gets a key.
func WithIdempotencyKey(ctx context.Context, key store.Key) context.Context {
	return context.WithValue(ctx, keyContext{}, key.ID)
}

type progressKey struct{}

// A reporter passes progress on until the call was answered. Once end has
// returned, nothing is sent any more.
type reporter struct {
	mu   sync.Mutex
	send func(done, total float64, note string) // nil once ended
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

// Progress reports the progress of a handler to the client.
func Progress(ctx context.Context, done, total float64, note string) {
	r, _ := ctx.Value(progressKey{}).(*reporter)
	if r == nil {
		return
	}
	clean, _ := trust.Sanitize(text.Cut(note, text.MaxNote))
	r.report(done, total, clean)
}

// withProgress returns a context that reports to the caller, and the function
// that ends it.
func withProgress(ctx context.Context, send func(done, total float64, note string)) (context.Context, func()) {
	if send == nil {
		return ctx, func() {}
	}
	r := &reporter{send: send}
	return context.WithValue(ctx, progressKey{}, r), r.end
}
