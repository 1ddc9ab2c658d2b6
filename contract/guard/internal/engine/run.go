package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/deadline"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/risk"
)

// detachedDeadline ends a handler that outlives its caller's cancellation and
// declares no timeout of its own.
const detachedDeadline = 10 * time.Minute

var (
	errTimeout = errors.New("guard: the handler's time is over")
	errGivenUp = errors.New("guard: the server closed before the handler ended")
)

// An execution is the result of the stage Run: how the handler ended.
type execution struct {
	ran       bool // the handler was started
	abandoned bool // the call was answered while the handler is running
	late      bool // the handler ended after the call was answered
	out       any  // what the handler returned
	err       error
}

// A slot permits one function of a tool author to run. It takes one of the
// slots of maxConcurrent, and the guard counts it. A closed guard gives out no
// slots.
type slot struct {
	engine   *Engine
	taken    chan struct{} // nil: no concurrency limit
	isolated bool          // the function does not run on the goroutine of the call
	ctx      *deadline.Context
	started  bool
	of       outlived // the call that the handler runs for; nil before it starts
}

// take returns a slot for a function that gets ctx. Do not give the slot back
// once the function has started.
func (g *Engine) take(ctx context.Context, t *Tool, isolated bool) (*slot, *answer.Answer) {
	s := &slot{engine: g, taken: t.slots, isolated: isolated, ctx: deadline.New(ctx)}
	if s.taken != nil {
		select {
		case s.taken <- struct{}{}:
		default:
			return nil, answer.Refuse(refusal.Unavailable("too many calls of this tool are running").OrReplay())
		}
	}
	if !g.start(s) {
		s.release()
		return nil, answer.Refuse(refusal.Closing())
	}
	return s, nil
}

// giveBack gives back the slot of a handler that did not start. The slot may be
// nil.
func (s *slot) giveBack() {
	if s != nil && !s.started {
		s.started = true
		s.release()
		s.engine.end(s)
	}
}

// release ends the context and frees the concurrency slot.
func (s *slot) release() {
	s.ctx.End(nil)
	s.free()
}

// free frees the concurrency slot.
func (s *slot) free() {
	if s.taken != nil {
		<-s.taken
	}
}

// reserve takes the slot of the handler. From low-risk-write up, the handler
// does not end when the caller disconnects, unless the contract is Cancellable,
// because a disconnect is not a decision.
func reserve(u understood) (*slot, *answer.Answer) {
	ctx := u.ctx
	if u.isDetached() {
		ctx = context.WithoutCancel(ctx)
	}
	if !u.key.IsZero() {
		ctx = withIdempotencyKey(ctx, u.key)
	}
	return u.engine.take(ctx, u.tool, u.tool.Doc.TimeoutMs > 0 || u.req.Isolate)
}

func (u *understood) isDetached() bool {
	return u.doc.Effect != risk.ReadOnly && !u.tool.Doc.Cancellable
}

// timeLimit returns how long the handler may run. Zero: as long as its caller
// waits.
func (u *understood) timeLimit() time.Duration {
	if ms := u.tool.Doc.TimeoutMs; ms > 0 {
		return time.Duration(ms) * time.Millisecond
	}
	if u.isDetached() {
		return detachedDeadline
	}
	return 0
}

// An outlived is the call of a handler that may outlive it.
type outlived interface {
	// endLate is called if the handler ends after its caller was answered.
	endLate(out any, err error)
	// abandon is called if the guard closes while the handler runs on its
	// caller's goroutine.
	abandon()
}

// run calls the handler.
func run(u understood, s *slot, of outlived) (execution, *answer.Answer) {
	s.of = of
	if !u.engine.began(s) {
		return execution{}, answer.Refuse(refusal.Closing())
	}
	s.started = true
	limit := u.timeLimit()
	if limit > 0 {
		s.ctx.Limit(limit, errTimeout)
	}
	ctx, endProgress := u.forHandler(s.ctx)
	engine, tool, in := u.engine, u.tool.Half, u.args.In
	if s.isolated {
		handler := func() (any, error) { return engine.execute(ctx, tool, in) }
		return runIsolated(s, handler, limit, endProgress), nil
	}
	defer engine.end(s)
	defer s.release()
	defer endProgress()
	out, err := engine.execute(ctx, tool, in)
	return execution{ran: true, out: out, err: err}, nil
}

// forHandler adds the values for the handler to the context of a slot. The
// returned function ends the handler's reports of progress.
func (u *understood) forHandler(ctx context.Context) (context.Context, func()) {
	if oplog.From(u.ctx).ID != u.log.id { // the call continues an earlier one
		ctx = oplog.With(ctx, oplog.Call{Tool: u.tool.Tool, ID: u.log.id, Args: u.args})
	}
	if u.round != nil {
		ctx = bound.WithRound(ctx, u.round.responses(u.req))
	}
	return withProgress(ctx, u.req.Progress)
}

// A handlerError is a copy of an error that a handler returned.
type handlerError struct {
	failure *contract.Error           // nil: not a declared kind of error
	refusal *bound.RefusalError       // nil: not an adapter's
	asks    *bound.InputRequiredError // nil: the handler does not need an input
	text    string
	// reported is the error result of a wrapped handler, which reports that the
	// call failed. Nil: the handler returned an error.
	reported *bound.ReportedError
	// interrupted means that the handler's context had ended before the handler
	// returned the error. cancelled means that the caller had ended it.
	interrupted, cancelled bool
}

func (e *handlerError) Error() string { return e.text }

// execute calls the handler of a tool with its input, as handle does.
func (g *Engine) execute(ctx context.Context, t bound.Tool, in any) (any, error) {
	return handle(ctx, g, func(ctx context.Context) (any, error) { return t.Run(ctx, in) })
}

// handle calls f and contains a panic of f, and of its error's methods, on this
// goroutine. The panic is reported even if the caller was already answered. It
// distinguishes the end of the context from an error of f. The
// error is nil, *handlerError, *panics.Error, errTimeout or errGivenUp.
func handle(ctx context.Context, g *Engine, f func(context.Context) (any, error)) (out any, err error) {
	defer func() { g.lines.ReportPanic(ctx, err) }()
	defer panics.Recover(&err)
	value, failed := f(ctx)
	if failed == nil {
		return value, nil
	}
	cause := context.Cause(ctx)
	if errors.Is(failed, context.DeadlineExceeded) && errors.Is(cause, errTimeout) ||
		errors.Is(failed, context.Canceled) && errors.Is(cause, errGivenUp) {
		return nil, cause
	}
	failure, _ := errors.AsType[*contract.Error](failed)
	refusal, _ := errors.AsType[*bound.RefusalError](failed)
	reported, _ := errors.AsType[*bound.ReportedError](failed)
	asks, _ := errors.AsType[*bound.InputRequiredError](failed)
	return nil, &handlerError{
		failure: failure, refusal: refusal, asks: asks, text: failed.Error(), reported: reported,
		interrupted: cause != nil,
		cancelled:   cause != nil && !errors.Is(cause, errTimeout) && !errors.Is(cause, errGivenUp),
	}
}

// The states of an isolated handler. It either ends or is abandoned first,
// never both.
const (
	handlerRunning int32 = iota
	handlerEnded
	handlerAbandoned
)

// runIsolated runs the handler on another goroutine and waits for its end,
// for its timeout, or for the guard to give it up. The caller's cancellation
// does not end the wait: it reaches the handler through the context, and the
// wait lasts until the handler ends.
func runIsolated(s *slot, handler func() (any, error), limit time.Duration, endProgress func()) execution {
	var state atomic.Int32
	var out any
	err := contain.ErrGoexit
	done := make(chan struct{})
	s.engine.workers.Go(func() {
		defer s.engine.end(s)
		defer func() {
			s.release()
			if state.CompareAndSwap(handlerRunning, handlerEnded) {
				close(done)
			} else {
				s.of.endLate(out, err)
			}
		}()
		out, err = handler()
	})

	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	var why error
	select {
	case <-done:
	case <-timeout:
		why = errTimeout
	case <-s.engine.gaveUp:
		why = errGivenUp
	}
	endProgress()
	if why != nil && state.CompareAndSwap(handlerRunning, handlerAbandoned) {
		return execution{ran: true, abandoned: true, err: why}
	}
	<-done
	return execution{ran: true, out: out, err: err}
}
