package consent

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
)

// The bounds of questions that wait for their answers within a call.
const (
	// questionsAtOnce bounds the questions of one session, because a few
	// workers serve all calls of a stdio server.
	questionsAtOnce = 2
	// questionsOfOne bounds the questions of one principal, however many
	// sessions it opens.
	questionsOfOne = 8
	// questionsOfAll bounds all questions of the guard.
	questionsOfAll = 512
)

// waiting counts the questions that wait within a call, by session and by
// principal.
type waiting struct {
	slots contain.Slots

	mu   sync.Mutex
	open map[string]int
}

// enter counts a question. If there are too many, it counts nothing and reports
// false.
func (w *waiting) enter(session, principal string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open[session] >= questionsAtOnce || w.open[principal] >= questionsOfOne {
		return false
	}
	w.open[session]++
	w.open[principal]++
	return true
}

func (w *waiting) leave(counted ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range counted {
		if w.open[name]--; w.open[name] == 0 {
			delete(w.open, name)
		}
	}
}

// wait makes the call wait for a person, at most for limit and the question
// timeout. The context is nil if too many other questions of the client wait.
// Otherwise the caller must call end.
func (r *round) wait(ctx context.Context, limit time.Duration) (waiting context.Context, end func()) {
	d, of := r.desk, r.call.principalDigest()
	session, principal := "session "+cmp.Or(r.call.Client.Session, of), "principal "+of
	if !d.waiting.enter(session, principal) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(limit, d.QuestionTimeout))
	go func() {
		select {
		case <-d.GaveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		d.waiting.leave(session, principal)
	}
}

func tooManyQuestions() *refusal.Refusal {
	return refusal.Unavailable("other questions of this client wait for their answers")
}
