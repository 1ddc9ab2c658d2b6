package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"
)

const methodProgress = "notifications/progress"

// An openCall is a running tools/call request.
type openCall struct {
	link   *link
	cancel context.CancelFunc
	// asked gets an older server's questions about the call, and ended its result.
	// Nil: the server cannot ask.
	asked    chan incoming
	ended    chan func() (json.RawMessage, error)
	progress atomic.Pointer[progressFunc] // the caller's; points to nil if it wants none
}

type progressFunc = func(done, total float64, note string)

func newOpenCall(l *link, progress progressFunc) *openCall {
	c := &openCall{link: l}
	c.progress.Store(&progress)
	return c
}

// begin registers a call.
func (l *link) begin(token int64, c *openCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = map[int64]*openCall{}
	}
	l.calls[token] = c
}

// finish removes a call. After most errors, the server may still be working on
// it.
func (l *link) finish(token int64, err error) {
	_, isAnswered := errors.AsType[*ServerError](err)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, token)
	if err != nil && !isAnswered && !errors.Is(err, ErrUnsent) {
		l.left = time.Now()
	}
}

// onlyCall returns the call that a message belongs to if it doesn't name one.
// It returns nil if there are several, or if it may be one that was given up.
func (l *link) onlyCall() *openCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) != 1 || !l.left.IsZero() && time.Since(l.left) < questionTime {
		return nil
	}
	for _, c := range l.calls {
		return c
	}
	return nil
}

// report passes on a call's progress.
func (l *link) report(params json.RawMessage) {
	var p struct {
		Token    int64   `json:"progressToken"`
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	l.mu.Lock()
	c := l.calls[p.Token]
	l.mu.Unlock()
	if c == nil {
		return
	}
	if progress := *c.progress.Load(); progress != nil {
		progress(p.Progress, p.Total, shownText(p.Message))
	}
}

// passOn hands an older server's question to the call it belongs to. The
// question came on the stream of the call of.
func (l *link) passOn(m incoming, of *openCall) {
	if of == nil {
		of = l.onlyCall()
	}
	if of != nil && of.asked != nil {
		select {
		case of.asked <- m:
			return
		default:
		}
	}
	l.reply(m.ID, "error", map[string]any{"code": codeBusy, "message": "it is not known which call the question belongs to"})
}

// questionKey is the key of an older server's question in the requests of an
// input_required result.
const questionKey = "question"

// A pendingCall waits for the answer to a question.
type pendingCall struct {
	*openCall

	question incoming
	timer    *time.Timer
}

// cancelled is the answer to a question that nobody answers.
var cancelled = map[string]string{"action": "cancel"}

var errNoQuestion = errors.New("client: no call is waiting for this answer any more")

// ask runs a call to an older server. If the server asks a question, the call
// goes on while the caller finds the answer.
func (c *Client) ask(ctx context.Context, l *link, p CallParams) (json.RawMessage, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	call := newOpenCall(l, p.Progress)
	call.cancel, call.asked, call.ended = cancel, make(chan incoming, maxQuestions), make(chan func() (json.RawMessage, error), 1)
	go func() {
		defer cancel()
		raw, err := c.call(life, l, p, call)
		call.ended <- func() (json.RawMessage, error) { return raw, err }
	}()
	return c.wait(ctx, call)
}

// wait returns the result of a call, or its next question as an input_required
// result.
func (c *Client) wait(ctx context.Context, call *openCall) (json.RawMessage, error) {
	select {
	case result := <-call.ended:
		return result()
	case m := <-call.asked:
		return c.inputRequired(ctx, call, m)
	case <-ctx.Done():
		call.cancel()
		raw, err := (<-call.ended)()
		if errors.Is(err, context.Canceled) {
			err = ctx.Err()
		}
		return raw, err
	}
}

// inputRequired keeps a call until its question is answered or questionTime is
// over.
func (c *Client) inputRequired(ctx context.Context, call *openCall, m incoming) (json.RawMessage, error) {
	state := rand.Text()
	c.mu.Lock()
	if len(c.pending) >= maxPending {
		c.mu.Unlock()
		call.link.reply(m.ID, "result", cancelled)
		return c.wait(ctx, call)
	}
	if c.pending == nil {
		c.pending = map[string]*pendingCall{}
	}
	c.pending[state] = &pendingCall{call, m, time.AfterFunc(questionTime, func() {
		if p := c.take(state); p != nil {
			p.link.reply(m.ID, "result", cancelled)
			p.cancel()
		}
	})}
	c.mu.Unlock()
	return json.Marshal(map[string]any{
		"resultType": "input_required", "requestState": state,
		"inputRequests": map[string]any{questionKey: map[string]any{"method": m.Method, "params": m.Params}},
	})
}

// take removes and returns the call that is waiting under a state.
func (c *Client) take(state string) *pendingCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[state]
	if p != nil {
		p.timer.Stop()
		delete(c.pending, state)
	}
	return p
}

// answer answers a call's question and waits for what comes next.
func (c *Client) answer(ctx context.Context, p *pendingCall, params CallParams) (json.RawMessage, error) {
	p.progress.Store(&params.Progress)
	var response any = cancelled
	if given := params.Responses[questionKey]; given != nil {
		response = given
	}
	p.link.reply(p.question.ID, "result", response)
	return c.wait(ctx, p.openCall)
}
