package consent

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// The bounds of questions that wait for their answers within a call. Callers
// are counted separately, so that none can use up another's places.
const (
	// questionsAtOnce bounds the questions of one principal in one session,
	// because a few workers serve all calls of a stdio server. An anonymous
	// caller is its session.
	questionsAtOnce = 2
	// questionsOfOne bounds the questions of one principal, however many
	// sessions it opens.
	questionsOfOne = 8
	// questionsOfAnonymous bounds the questions of all anonymous callers, who
	// can open any number of sessions. The other places are for known
	// principals.
	questionsOfAnonymous = questionsOfAll / 2
	// questionsOfAll bounds all questions of the guard.
	questionsOfAll = 512
)

// allQuestions names the count of all questions of the guard.
const allQuestions = "all"

// waiting counts the questions that wait within a call.
type waiting struct {
	slots contain.Slots

	mu     sync.Mutex
	counts map[string]int // by place
}

// A place is a count in which a question is included, and the count's limit.
type place struct {
	name  string
	limit int
}

// places returns the counts that include a question about this call.
func (r *round) places() []place {
	of := r.call.principalDigest()
	session := r.call.Client.Session
	all := place{allQuestions, questionsOfAll}
	own := place{"session " + of + " " + session, questionsAtOnce}
	if r.anonymous() {
		return []place{own, {"anonymous", questionsOfAnonymous}, all}
	}
	return []place{own, {"principal " + of, questionsOfOne}, all}
}

// enter counts a question. It counts nothing and reports false if there are too
// many.
func (w *waiting) enter(places []place) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range places {
		if w.counts[p.name] >= p.limit {
			return false
		}
	}
	for _, p := range places {
		w.counts[p.name]++
	}
	return true
}

// Waiting returns the number of questions for which calls wait.
func (svc *Service) Waiting() int {
	svc.waiting.mu.Lock()
	defer svc.waiting.mu.Unlock()
	return svc.waiting.counts[allQuestions]
}

func (w *waiting) leave(places []place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range places {
		if w.counts[p.name]--; w.counts[p.name] == 0 {
			delete(w.counts, p.name)
		}
	}
}

// wait makes the call wait for a person, for at most limit or the question
// timeout, whichever is shorter. The context is nil if too many other questions
// of the client are waiting; otherwise the caller must call end. Every wait for
// a person goes through here.
func (r *round) wait(ctx context.Context, limit time.Duration) (waiting context.Context, end func()) {
	svc := r.service
	places := r.places()
	if !svc.waiting.enter(places) {
		return nil, nil
	}
	r.session.waited = true
	ctx, cancel := context.WithTimeout(ctx, min(limit, svc.QuestionTimeout))
	go func() {
		select {
		case <-svc.GaveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		svc.waiting.leave(places)
	}
}

// AwaitInput makes the call of a handler that needs an input wait for its
// client. The function that it returns must be called once.
func (svc *Service) AwaitInput(ctx context.Context, c Subject) (func(send func(context.Context)), *answer.Refusal) {
	r := &round{service: svc, call: &c}
	waiting, end := r.wait(ctx, svc.QuestionTimeout)
	if waiting == nil {
		return nil, tooManyQuestions()
	}
	return func(send func(context.Context)) {
		defer end()
		send(waiting)
	}, nil
}

// A dialog is a question that the client is asked while its call waits. The
// zero value is one that has not begun.
type dialog struct {
	question *people.Question
	ctx      context.Context // ends when the call no longer waits
	end      func()
}

// begin makes the call wait for the answer to a question of a stage.
func (r *round) begin(ctx context.Context, q *people.Question, stage string) (dialog, *answer.Refusal) {
	waiting, end := r.wait(ctx, r.service.QuestionTimeout)
	if waiting == nil {
		return dialog{}, tooManyQuestions()
	}
	r.call.Pipeline.AuditQuestion(stage, r.session.Grant)
	return dialog{q, waiting, end}, nil
}

// put asks the question once.
func (d *dialog) put(w *waiting, ask people.Asker) (json.RawMessage, error) {
	return contain.Call(d.ctx, w.slots, func(ctx context.Context) (json.RawMessage, error) { return ask(ctx, *d.question) })
}

func (d *dialog) close() {
	if d.end != nil {
		d.end()
	}
}

func tooManyQuestions() *answer.Refusal {
	return answer.Unavailable("other questions of this client wait for their answers")
}
