package running

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// DetachedDeadline ends a handler that outlives its caller and has no timeout
// of its own.
const DetachedDeadline = 10 * time.Minute

// An Execution is what happened to a handler.
type Execution struct {
	Ended

	Ran       bool // the handler was started
	Abandoned bool // the call was answered while the handler is running
	Late      bool // the handler ended after the call was answered
}

// A Job is one run of a handler.
type Job struct {
	Tool bound.Impl
	In   any
	// Call names the call for the lines of the log, if it continues an earlier
	// one. Nil: the context names it.
	Call *callctx.Values
	// Round is passed to a handler that asked for input, or whose call a person
	// approved. Nil: nothing.
	Round *bound.Round
	// Limit bounds how long the handler may run. Zero: as long as its caller
	// waits.
	Limit time.Duration
	// Clock measures the limit, and stops while a person is asked. Nil: the limit
	// is the deadline of the handler's context.
	Clock *Clock
	// Around calls the handler, perhaps more than once. Nil: it is called once.
	Around Around
	// Progress receives what the handler reports. Nil drops it.
	Progress func(done, total float64, note string)
}

// An Around calls a handler. The handler passes its error to failed before
// [Runner.Handle] copies the error.
type Around func(ctx context.Context, handler func(ctx context.Context, failed func(error)) Ended) Ended

// Run calls the handler in its slot. If there is a refusal, the handler did not
// start.
func (r *Runner) Run(s *Slot, j Job, of Outlived) (Execution, *answer.Refusal) {
	s.of = of
	if !r.markRunning(s) {
		return Execution{}, answer.Closing()
	}
	s.started = true
	j.Clock.begin()
	if j.Limit > 0 && j.Clock == nil {
		s.ctx.Limit(j.Limit, ErrTimeout)
	}
	ctx, endProgress := j.forHandler(s.ctx)
	if s.isolated {
		handler := func() Ended { return r.execute(ctx, j.Tool, j.In, j.Around) }
		return runIsolated(s, handler, j, endProgress), nil
	}
	defer r.end(s)
	defer s.release()
	defer endProgress()
	return Execution{Ran: true, Ended: r.execute(ctx, j.Tool, j.In, j.Around)}, nil
}

// forHandler adds the values for the handler to the context of a slot. The
// returned function ends the handler's reports of progress.
func (j Job) forHandler(ctx context.Context) (context.Context, func()) {
	if j.Call != nil {
		ctx = callctx.With(ctx, *j.Call)
	}
	if j.Clock != nil {
		ctx = bound.WithPause(ctx, j.Clock.Pause)
	}
	return callctx.WithProgress(bound.WithRound(ctx, j.Round), j.Progress)
}

// execute calls the handler of a tool with its input, as [Runner.Handle] does.
func (r *Runner) execute(ctx context.Context, t bound.Impl, in any, around Around) Ended {
	if around == nil {
		return r.Handle(ctx, func(ctx context.Context) (any, error) { return t.Run(ctx, in) })
	}
	return around(ctx, func(ctx context.Context, failed func(error)) Ended {
		return r.Handle(ctx, func(ctx context.Context) (any, error) {
			out, err := t.Run(ctx, in)
			if err != nil {
				failed(err)
			}
			return out, err
		})
	})
}

// Handle calls f on this goroutine, and contains a panic of f and of its
// error's methods. It logs the panic even if the caller was already answered.
func (r *Runner) Handle(ctx context.Context, f func(context.Context) (any, error)) (ended Ended) {
	var panicked error
	defer func() {
		if panicked != nil {
			r.lines.ReportPanic(ctx, panicked)
			ended = Ended{Kind: Panicked, Err: panicked}
		}
	}()
	defer contain.Recover(&panicked)
	out, err := f(ctx)
	if err != nil {
		return endOf(ctx, err)
	}
	return Ended{Out: out}
}

// The states of an isolated handler. It either ends or is abandoned first,
// never both.
const (
	handlerRunning int32 = iota
	handlerEnded
	handlerAbandoned
)

// runIsolated runs the handler on another goroutine, and waits until it ends,
// times out, or the guard gives up on it. A caller that cancels does not end
// the wait: the handler learns of it by its context, and the wait lasts until
// the handler ends.
func runIsolated(s *Slot, handler func() Ended, j Job, endProgress func()) Execution {
	var state atomic.Int32
	ended := Ended{Kind: Panicked, Err: contain.ErrGoexit}
	done := make(chan struct{})
	go func() {
		defer s.runner.end(s)
		defer func() {
			s.release()
			if state.CompareAndSwap(handlerRunning, handlerEnded) {
				close(done)
			} else {
				s.of.EndLate(ended)
			}
		}()
		ended = handler()
	}()

	early := s.wait(done, j)
	endProgress()
	if early.Kind != Returned && state.CompareAndSwap(handlerRunning, handlerAbandoned) {
		return Execution{Ran: true, Abandoned: true, Ended: early}
	}
	<-done
	return Execution{Ran: true, Ended: ended}
}

// wait waits until the handler is done, its time is over, or the guard gives up
// on it. It returns why it did not wait longer; the zero Ended: it is done.
func (s *Slot) wait(done <-chan struct{}, j Job) Ended {
	var timer *time.Timer
	var over <-chan time.Time // nil: there is no limit
	if j.Limit > 0 {
		timer = time.NewTimer(j.Limit)
		defer timer.Stop()
		over = timer.C
	}
	for {
		select {
		case <-done:
			return Ended{}
		case <-s.runner.gaveUp:
			return Closed()
		case <-over:
			left := j.Clock.left(j.Limit)
			if left <= 0 {
				s.ctx.End(ErrTimeout) // with a clock, the context has no deadline
				return Timeout()
			}
			timer.Reset(left)
		}
	}
}
