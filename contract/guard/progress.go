package guard

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/trust"
)

type progressKey struct{}

// A reporter passes progress on until the call was answered: once end has
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

// Progress reports from a handler how far it has come: done of total, zero
// where the total is not known, and a note for people, which is sanitised.
// Outside a guarded call, after the answer, and where the client did not ask
// for progress, it does nothing. It may be called by many goroutines at once.
func Progress(ctx context.Context, done, total float64, note string) {
	r, _ := ctx.Value(progressKey{}).(*reporter)
	if r == nil {
		return
	}
	clean, _ := trust.Sanitize(cut(note, maxErrorText))
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
