package running

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// DetachedDeadline ends a handler that outlives its caller's cancellation and
// declares no timeout of its own.
const DetachedDeadline = 10 * time.Minute

// An Execution is the result of the stage Run: how the handler ended.
type Execution struct {
	Ran       bool // the handler was started
	Abandoned bool // the call was answered while the handler is running
	Late      bool // the handler ended after the call was answered
	Out       any  // what the handler returned
	Err       error
}

// A Job is one run of a handler.
type Job struct {
	Tool bound.Tool
	In   any
	// Call names the call for the lines of the log, if it continues an earlier
	// one. Nil: the context names it.
	Call *callctx.Values
	// Round is what a handler gets that asked for an input, or whose call a
	// person approved. Nil: nothing.
	Round *bound.Round
	// Limit bounds how long the handler may run. Zero: as long as its caller
	// waits.
	Limit time.Duration
	// Around calls the handler, perhaps more than once. Nil: it is called once.
	Around Around
	// Progress receives what the handler reports. Nil drops it.
	Progress func(done, total float64, note string)
}

// An Around calls a handler. The handler passes its error to failed before
// [Runner.Handle] copies the error.
type Around func(ctx context.Context, handler func(ctx context.Context, failed func(error)) (any, error)) (any, error)

// Run calls the handler in its slot. The refusal means that it did not start.
func (r *Runner) Run(s *Slot, j Job, of Outlived) (Execution, *answer.Refusal) {
	s.of = of
	if !r.began(s) {
		return Execution{}, answer.Closing()
	}
	s.started = true
	if j.Limit > 0 {
		s.ctx.Limit(j.Limit, ErrTimeout)
	}
	ctx, endProgress := j.forHandler(s.ctx)
	if s.isolated {
		handler := func() (any, error) { return r.execute(ctx, j.Tool, j.In, j.Around) }
		return runIsolated(s, handler, j.Limit, endProgress), nil
	}
	defer r.end(s)
	defer s.release()
	defer endProgress()
	out, err := r.execute(ctx, j.Tool, j.In, j.Around)
	return Execution{Ran: true, Out: out, Err: err}, nil
}

// forHandler adds the values for the handler to the context of a slot. The
// returned function ends the handler's reports of progress.
func (j Job) forHandler(ctx context.Context) (context.Context, func()) {
	if j.Call != nil {
		ctx = callctx.With(ctx, *j.Call)
	}
	return callctx.WithProgress(bound.WithRound(ctx, j.Round), j.Progress)
}

// A HandlerError is a copy of an error that a handler returned.
type HandlerError struct {
	Failure *contract.Error           // nil: not a declared kind of error
	Refusal *bound.RefusalError       // nil: not an adapter's
	Asks    *bound.InputRequiredError // nil: the handler does not need an input
	Text    string
	// Reported is the error result of a wrapped handler, which reports that the
	// call failed. Nil: the handler returned an error.
	Reported *bound.ReportedError
	// Interrupted means that the handler's context had ended before the handler
	// returned the error. Cancelled means that the caller had ended it.
	Interrupted, Cancelled bool
}

// Error returns the text of the handler's error.
func (e *HandlerError) Error() string { return e.Text }

// execute calls the handler of a tool with its input, as [Runner.Handle] does.
func (r *Runner) execute(ctx context.Context, t bound.Tool, in any, around Around) (any, error) {
	if around == nil {
		return r.Handle(ctx, func(ctx context.Context) (any, error) { return t.Run(ctx, in) })
	}
	return around(ctx, func(ctx context.Context, failed func(error)) (any, error) {
		return r.Handle(ctx, func(ctx context.Context) (any, error) {
			out, err := t.Run(ctx, in)
			if err != nil {
				failed(err)
			}
			return out, err
		})
	})
}

// Handle calls f and contains a panic of f, and of its error's methods, on this
// goroutine. The panic is reported even if the caller was already answered. It
// distinguishes the end of the context from an error of f. The
// error is nil, *HandlerError, *contain.PanicError, ErrTimeout or ErrGivenUp.
func (r *Runner) Handle(ctx context.Context, f func(context.Context) (any, error)) (out any, err error) {
	defer func() { r.lines.ReportPanic(ctx, err) }()
	defer contain.Recover(&err)
	value, failed := f(ctx)
	if failed == nil {
		return value, nil
	}
	cause := context.Cause(ctx)
	if errors.Is(failed, context.DeadlineExceeded) && errors.Is(cause, ErrTimeout) ||
		errors.Is(failed, context.Canceled) && errors.Is(cause, ErrGivenUp) {
		return nil, cause
	}
	failure, _ := errors.AsType[*contract.Error](failed)
	refusal, _ := errors.AsType[*bound.RefusalError](failed)
	reported, _ := errors.AsType[*bound.ReportedError](failed)
	asks, _ := errors.AsType[*bound.InputRequiredError](failed)
	return nil, &HandlerError{
		Failure: failure, Refusal: refusal, Asks: asks, Text: failed.Error(), Reported: reported,
		Interrupted: cause != nil,
		Cancelled:   cause != nil && !errors.Is(cause, ErrTimeout) && !errors.Is(cause, ErrGivenUp),
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
func runIsolated(s *Slot, handler func() (any, error), limit time.Duration, endProgress func()) Execution {
	var state atomic.Int32
	var out any
	err := contain.ErrGoexit
	done := make(chan struct{})
	go func() {
		defer s.runner.end(s)
		defer func() {
			s.release()
			if state.CompareAndSwap(handlerRunning, handlerEnded) {
				close(done)
			} else {
				s.of.EndLate(out, err)
			}
		}()
		out, err = handler()
	}()

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
		why = ErrTimeout
	case <-s.runner.gaveUp:
		why = ErrGivenUp
	}
	endProgress()
	if why != nil && state.CompareAndSwap(handlerRunning, handlerAbandoned) {
		return Execution{Ran: true, Abandoned: true, Err: why}
	}
	<-done
	return Execution{Ran: true, Out: out, Err: err}
}
