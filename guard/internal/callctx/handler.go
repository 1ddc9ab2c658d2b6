package callctx

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/trust"
)

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
