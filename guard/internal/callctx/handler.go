package callctx

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

type idempotencyKey struct{}

// IdempotencyKey returns the key that a call's handler can pass to a system
// that deduplicates. It returns false if the call is not deduplicated.
func IdempotencyKey(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(idempotencyKey{}).(store.Digest)
	if !ok {
		return "", false
	}
	return id.String(), true
}

// WithIdempotencyKey returns a context with a call's key.
func WithIdempotencyKey(ctx context.Context, key store.Key) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key.ID)
}

type progressKey struct{}

// A reporter passes progress on until the call is answered.
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
	call := From(ctx)
	clean, _ := trust.Sanitize(text.Cut(facts.Redact(call.Tool, call.Args, note), text.MaxNote))
	r.report(done, total, clean)
}

// WithProgress returns a context whose handler reports to send, which may be
// nil, and a function that stops the reports. Nothing is sent once that
// function has returned.
func WithProgress(ctx context.Context, send func(done, total float64, note string)) (context.Context, func()) {
	if send == nil {
		return ctx, func() {}
	}
	r := &reporter{send: send}
	return context.WithValue(ctx, progressKey{}, r), r.end
}
