package guard

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/risk"
)

// detachedDeadline ends a handler that outlives its caller's cancellation and
// declares no timeout of its own.
const detachedDeadline = 10 * time.Minute

var (
	errTimeout = errors.New("guard: the handler's time is over")
	errGivenUp = errors.New("guard: the server closed before the handler ended")
)

// run calls the handler. From low-risk-write up it is detached from the
// caller's cancellation, unless the contract says Cancellable: a client that
// hangs up decides nothing.
func run(c *call) *Result {
	e := c.entry
	if !c.entered {
		return c.refuseLater(contract.CodeUnavailable, "the server is closing", unavailableDelay)
	}
	if e.slots != nil {
		select {
		case e.slots <- struct{}{}:
		default:
			return c.refuseLater(contract.CodeUnavailable, "too many calls of this tool are running", unavailableDelay)
		}
	}
	ctx, cancel := c.handlerContext()
	ctx, endProgress := withProgress(ctx, c.req.Progress)
	c.ran = true
	if e.doc.TimeoutMs == 0 && !c.req.Isolate {
		defer endProgress()
		defer cancel()
		defer c.freeSlot()
		c.out, c.err = protectedRun(ctx, c)
		return nil
	}
	return c.runIsolated(ctx, cancel, endProgress)
}

func (c *call) freeSlot() {
	if c.entry.slots != nil {
		<-c.entry.slots
	}
}

// handlerContext derives the handler's context; cancel releases it.
func (c *call) handlerContext() (context.Context, context.CancelFunc) {
	ctx := c.ctx
	if c.detached() {
		ctx = context.WithoutCancel(ctx)
	}
	if limit := c.timeLimit(); limit > 0 {
		return context.WithTimeoutCause(ctx, limit, errTimeout)
	}
	return context.WithCancel(ctx)
}

func (c *call) detached() bool {
	return c.entry.doc.Effect != risk.ReadOnly && !c.entry.doc.Cancellable
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

// protectedRun contains a panic of the handler on this goroutine.
func protectedRun(ctx context.Context, c *call) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = nil, &panicError{v}
		}
	}()
	out, err = c.entry.bound.Run(ctx, c.args.In)
	if errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) == errTimeout { //nolint:errorlint // the very cause set above
		err = errTimeout
	}
	return out, err
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
func (c *call) runIsolated(ctx context.Context, cancel, endProgress func()) *Result {
	var state atomic.Int32
	var out any
	err := errGoexit
	done := make(chan struct{})
	c.set.guard.handlers.Go(func() {
		defer c.freeSlot()
		defer cancel()
		defer func() {
			if state.CompareAndSwap(handlerRunning, handlerEnded) {
				close(done)
			} else {
				c.lateEvent(out, err)
			}
		}()
		out, err = protectedRun(ctx, c)
	})

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
	case <-c.set.guard.gaveUp:
		why = errGivenUp
	}
	endProgress()
	if why != nil && state.CompareAndSwap(handlerRunning, handlerAbandoned) {
		c.err = why
		return nil
	}
	<-done
	c.out, c.err = out, err
	return nil
}

// lateEvent records how a handler ended after its caller had been answered.
func (c *call) lateEvent(out any, err error) {
	<-c.answered
	late := *c
	late.out, late.err, late.cause = out, err, nil
	late.audit(audit.Late, stageRun, checkResult(&late))
}
