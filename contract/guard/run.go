package guard

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

// detachedDeadline ends a handler that outlives its caller's cancellation and
// declares no timeout of its own.
const detachedDeadline = 10 * time.Minute

var (
	errTimeout = errors.New("guard: the handler's time is over")
	errGivenUp = errors.New("guard: the server closed before the handler ended")
)

// reserve takes what the handler needs to run: a place among those that may run
// at once, and the guard's leave, which nobody gets once it is closed.
func reserve(c *call) *Result {
	e := c.entry
	c.isolated = e.doc.TimeoutMs > 0 || c.req.Isolate
	ctx := c.ctx
	if c.detached() {
		ctx = context.WithoutCancel(ctx)
	}
	if isManaged(e) {
		ctx = context.WithValue(ctx, keyContext{}, c.key.ID.String())
	}
	return c.take(ctx)
}

// take takes a place and the guard's leave for a function that gets ctx.
func (c *call) take(ctx context.Context) *Result {
	e, g := c.entry, c.set.guard
	if e.slots != nil {
		select {
		case e.slots <- struct{}{}:
		default:
			return c.unlessDone(c.refuseLater(contract.CodeUnavailable, "too many calls of this tool are running", unavailableDelay))
		}
	}
	c.runCtx, c.cancel = context.WithCancelCause(ctx)
	c.reserved = true
	if !g.start(c) {
		c.reserved = false
		c.release()
		return c.closing()
	}
	return nil
}

// unreserve gives back what was reserved for a handler that did not start.
func (c *call) unreserve() {
	if c.reserved {
		c.reserved = false
		c.release()
		c.set.guard.end(c)
	}
}

func (c *call) closing() *Result {
	return c.refuseLater(contract.CodeUnavailable, "the server is closing", unavailableDelay)
}

// run calls the handler. From low-risk-write up it is detached from the
// caller's cancellation, unless the contract says Cancellable: a client that
// hangs up decides nothing.
func run(c *call) *Result {
	if !c.set.guard.began(c) {
		return c.closing()
	}
	c.reserved, c.ran = false, true
	ctx, stop := c.runCtx, func() {}
	if limit := c.timeLimit(); limit > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, limit, errTimeout)
	}
	ctx, endProgress := withProgress(ctx, c.req.Progress)
	if c.isolated {
		return c.runIsolated(ctx, stop, endProgress)
	}
	defer c.set.guard.end(c)
	defer c.release()
	defer stop()
	defer endProgress()
	c.out, c.err = c.handle(ctx, c.runHandler)
	return nil
}

// release gives back the context and the slot of a handler that ended.
func (c *call) release() {
	c.cancel(nil)
	c.leave()
}

// leave gives back the slot.
func (c *call) leave() {
	if c.entry.slots != nil {
		<-c.entry.slots
	}
}

func (c *call) detached() bool {
	return c.doc.Effect != risk.ReadOnly && !c.entry.doc.Cancellable
}

// timeLimit returns how long the handler may run, zero for as long as its
// caller waits.
func (c *call) timeLimit() time.Duration {
	if ms := c.entry.doc.TimeoutMs; ms > 0 {
		return time.Duration(ms) * time.Millisecond
	}
	if c.detached() {
		return detachedDeadline
	}
	return 0
}

// A handlerError is what an error of the handler's said, taken down while its
// own methods were contained.
type handlerError struct {
	failure *contract.Error     // nil: not a declared kind of error
	refusal *bound.RefusalError // nil: not an adapter's
	text    string
}

func (e *handlerError) Error() string { return e.text }

func (c *call) runHandler(ctx context.Context) (any, error) { return c.entry.bound.Run(ctx, c.args.In) }

// handle contains a panic of the handler f, and of its error's methods, on this
// goroutine, and tells the end that the context brought about from an error of
// the handler's own. The error is nil, *handlerError, *contain.PanicError, errTimeout
// or errGivenUp.
func (c *call) handle(ctx context.Context, f func(context.Context) (any, error)) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = nil, &contain.PanicError{Value: v}
		}
	}()
	out, err = f(ctx)
	if contract.IsSuccess(err) {
		return out, nil
	}
	cause := context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(cause, errTimeout) ||
		errors.Is(err, context.Canceled) && errors.Is(cause, errGivenUp) {
		return nil, cause
	}
	failure, _ := contract.AsError(err)
	refusal, _ := errors.AsType[*bound.RefusalError](err)
	return nil, &handlerError{failure: failure, refusal: refusal, text: err.Error()}
}

// The states of an isolated handler: exactly one of its end and its
// abandonment comes first.
const (
	handlerRunning int32 = iota
	handlerEnded
	handlerAbandoned
)

// runIsolated runs the handler on a goroutine of its own and waits for its end,
// for its timeout, or for the guard to give it up. The caller's cancellation
// alone does not end the wait: the handler has been told, and its end counts.
// What comes after the answer is a late event.
func (c *call) runIsolated(ctx context.Context, stop, endProgress func()) *Result {
	g := c.set.guard
	var state atomic.Int32
	var out any
	err := contain.ErrGoexit
	done := make(chan struct{})
	go func() {
		defer g.end(c)
		defer func() {
			stop()
			c.release()
			if state.CompareAndSwap(handlerRunning, handlerEnded) {
				close(done)
			} else {
				c.lateEvent(out, err)
			}
		}()
		out, err = c.handle(ctx, c.runHandler)
	}()

	var timeout <-chan time.Time
	if limit := c.timeLimit(); limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	var why error
	select {
	case <-done:
	case <-timeout:
		why = errTimeout
	case <-g.gaveUp:
		why = errGivenUp
	}
	endProgress()
	if why != nil && state.CompareAndSwap(handlerRunning, handlerAbandoned) {
		c.err, c.abandoned = why, true
		return nil
	}
	<-done
	c.out, c.err = out, err
	return nil
}

// settled returns what does not change any more once the handler was started,
// for events that another goroutine writes.
func (c *call) settled() *call {
	return &call{
		ctx: c.ctx, set: c.set, entry: c.entry, doc: c.doc, req: c.req, id: c.id, start: c.start, principal: c.principal, args: c.args, ran: true, waived: c.waived,
		key: c.key, fingerprint: c.fingerprint, owner: c.owner, claimed: c.claimed, renewal: c.renewal, nonce: c.nonce, questionID: c.questionID,
	}
}

// lateEvent records how a handler ended after its caller had been answered.
func (c *call) lateEvent(out any, err error) {
	<-c.answered
	late := c.settled()
	late.out, late.err = out, err
	result := late.netted(checkResult)
	late.record(result)
	late.audit(audit.Late, stageRun, result)
}

// abandon writes the terminal event of a call whose handler is still running
// on its caller's goroutine while the guard closes.
func (c *call) abandon() {
	if !c.terminal.CompareAndSwap(false, true) {
		return
	}
	given := c.settled()
	given.cause = errGivenUp
	given.audit(audit.Terminal, stageRun, given.givenUp())
}
