package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// A session closes itself once it is lost and its last request is done.
type session struct {
	client.Session

	modern bool
	users  int
	lost   bool
}

// dial opens a session, lists its tools and makes both the agent's own.
func (a *Agent) dial(ctx context.Context) error {
	opened, err := a.open(ctx)
	if err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	tools, err := a.list(ctx, opened)
	if err != nil {
		_ = a.end(opened) // the list's error matters more
		return err
	}
	if !a.use(opened, tools) {
		_ = a.end(opened) // it was never used
		return errClosed
	}
	return nil
}

// open opens a session. A session that arrives too late is closed.
func (a *Agent) open(ctx context.Context) (*session, error) {
	dialed := make(chan client.Session, 1)
	opened, err := callOut(ctx, a.slots, func(ctx context.Context) (*session, error) {
		defer close(dialed)
		s, err := a.dialer.Dial(ctx, a.person())
		if err != nil {
			return nil, err
		}
		if s == nil {
			return nil, errNoSession
		}
		dialed <- s
		return &session{Session: s, modern: s.Modern()}, nil
	})
	switch {
	case err == nil:
		return opened, nil
	case !errors.Is(err, errBusy): // the dialer was called
		go func() {
			if late := <-dialed; late != nil {
				_ = a.end(late) // it was never used
			}
		}()
	}
	return nil, err
}

// end closes a session.
func (a *Agent) end(s client.Session) error {
	_, err := contain.Within(context.Background(), closeTime, a.slots, func(context.Context) (struct{}, error) {
		return struct{}{}, s.Close()
	})
	return plainError(err)
}

// use makes an open session the agent's own. It reports false if the agent is
// closed.
func (a *Agent) use(opened *session, tools map[string]Tool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.session, a.tools = opened, tools
	return true
}

// acquire returns the open session, or dials a new one if the last one was
// lost. The caller must release it.
func (a *Agent) acquire(ctx context.Context) (*session, error) {
	select {
	case a.dialing <- struct{}{}:
		defer func() { <-a.dialing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s, err := a.current(); s != nil || err != nil {
		return s, err
	}
	if err := a.dial(ctx); err != nil {
		return nil, err
	}
	return a.current()
}

func (a *Agent) current() (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, errClosed
	}
	if a.session == nil || a.session.lost {
		return nil, nil //nolint:nilnil // the caller dials
	}
	a.session.users++
	return a.session, nil
}

func (a *Agent) release(s *session) {
	a.mu.Lock()
	s.users--
	last := s.lost && s.users == 0
	a.mu.Unlock()
	if last {
		_ = a.end(s) // it is lost already
	}
}

// lose marks a session as lost, so that the next request dials.
func (a *Agent) lose(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.lost = true
}

// protocolError returns the server's JSON-RPC error in err, or nil.
func protocolError(err error) *client.ServerError {
	p, _ := errors.AsType[*client.ServerError](err)
	return p
}

// An exchange is a tools/call request waiting for its result.
type exchange struct {
	call      *call
	ctx       context.Context
	cancel    context.CancelCauseFunc
	timer     *pausableTimer
	questions sync.WaitGroup // questions of the server that a person is answering
}

// send makes one tools/call request. The server may have received it despite an
// error, unless that is a [*client.ServerError], an unsentError or a
// [client.ErrUnsent].
func (c *call) send(params client.CallParams) (json.RawMessage, error) {
	a := c.agent
	s, err := a.acquire(c.ctx)
	if err != nil {
		return nil, &unsentError{err}
	}
	defer a.release(s)
	if now, _ := a.Tool(c.tool.Name); now.digest != c.tool.digest || now.Refusal != "" {
		return nil, &unsentError{errToolChanged}
	}
	if !s.modern && c.tool.mayAsk() { // one at a time, because a question doesn't name its call
		select {
		case a.asking <- struct{}{}:
			defer func() { <-a.asking }()
		case <-c.ctx.Done():
			return nil, &unsentError{context.Cause(c.ctx)}
		}
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	timer := newPausableTimer(a.options.limitOf(c.tool), func() { cancel(errRequestLimit) })
	e := &exchange{call: c, ctx: ctx, cancel: cancel, timer: timer}
	if !a.enter(e) {
		e.timer.stop()
		return nil, &unsentError{errClosed}
	}
	raw, err := callOut(ctx, a.slots, func(ctx context.Context) (json.RawMessage, error) { return s.CallTool(ctx, params) })
	switch {
	case err == nil || protocolError(err) != nil:
	case errors.Is(err, errBusy):
		err = &unsentError{err}
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	default:
		a.lose(s)
	}
	a.leave(e)
	cancel(nil) // cancels questions that are still open
	e.questions.Wait()
	e.timer.stop()
	return raw, err
}

// enter registers a request about to be sent. It reports false if the agent is
// closed.
func (a *Agent) enter(e *exchange) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.running[e] = struct{}{}
	if e.call.counts() {
		a.underway[e.call] = struct{}{}
	}
	return true
}

func (a *Agent) leave(e *exchange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, e)
}

// An unsentError is the reason a request was not sent.
type unsentError struct{ err error }

func (e *unsentError) Error() string { return e.err.Error() }
func (e *unsentError) Unwrap() error { return e.err }

var (
	errNoSession    = errors.New("the dialer returned no session")
	errTimeLimit    = errors.New("the time limit of the call is over")
	errRequestLimit = errors.New("the server did not answer in time")
	errToolChanged  = errors.New("the tool has another definition than the one that was decided about")
)
