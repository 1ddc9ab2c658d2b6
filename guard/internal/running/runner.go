// Package running runs handlers and previews: it counts them, bounds them, and
// gives up on them when the guard closes.
package running

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// answerTime bounds how long Close waits until the calls it gave up on are
// answered and audited, and their handlers have ended. Only a handler that
// ignores its context takes this long.
const answerTime = time.Second

// A Runner runs handlers and counts the calls and handlers that Close waits
// for.
type Runner struct {
	lines *operatorlog.Log

	mu      sync.RWMutex // for closed and drained
	closed  bool
	drained time.Time // when the drain time ends; zero until it has begun

	runningMu  sync.Mutex     // for running; it may be locked while mu is locked, never the reverse
	running    map[*Slot]bool // the taken slots; true while a handler runs on its caller's own goroutine
	calls      sync.WaitGroup // calls that are not answered yet
	handlers   sync.WaitGroup // running handlers, which may outlive their calls, and retried writes
	closing    chan struct{}  // closed when Close begins
	gaveUp     chan struct{}  // closed when Close stops waiting for handlers
	retrySlots chan struct{}  // one for each call whose failed write is retried
}

// retriesAtOnce bounds the calls whose writes are retried. During an outage
// the records of all other calls stay as they are until their leases end.
const retriesAtOnce = 1024

// New returns a runner that logs to lines.
func New(lines *operatorlog.Log) *Runner {
	return &Runner{
		lines: lines, retrySlots: make(chan struct{}, retriesAtOnce), running: map[*Slot]bool{},
		closing: make(chan struct{}), gaveUp: make(chan struct{}),
	}
}

// GaveUp returns a channel that is closed when Close stops waiting for
// handlers.
func (r *Runner) GaveUp() <-chan struct{} { return r.gaveUp }

// Running returns the number of running handlers.
func (r *Runner) Running() int { return len(r.stillRunning()) }

// BeginDrain starts the drain time, unless it has begun, and returns its end.
func (r *Runner) BeginDrain(drain time.Duration) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drained.IsZero() {
		r.drained = time.Now().Add(drain)
	}
	return r.drained
}

// Close refuses new calls, and waits for running handlers, at most as long as
// drain and ctx allow. It gives up on the handlers that are still running, and
// returns an error if they go on running although their contexts have ended.
func (r *Runner) Close(ctx context.Context, drain time.Duration) error {
	first := r.close()
	limit := drain
	if first {
		limit = time.Until(r.BeginDrain(drain))
	}
	err := await(ctx, limit, &r.calls, &r.handlers)
	if first {
		close(r.gaveUp)
	}
	if err != nil && r.giveUp(ctx) {
		return nil
	}
	return err
}

// close reports whether this is the first Close.
func (r *Runner) close() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.closed
	if first {
		close(r.closing)
	}
	r.closed = true
	return first
}

// HasGivenUp reports whether Close has stopped waiting for handlers.
func (r *Runner) HasGivenUp() bool {
	select {
	case <-r.gaveUp:
		return true
	default:
		return false
	}
}

// await waits for groups until a time or ctx ends.
func await(ctx context.Context, limit time.Duration, groups ...*sync.WaitGroup) error {
	ended := make(chan struct{})
	go func() {
		for _, group := range groups {
			group.Wait()
		}
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return errors.New("guard: handlers were still running when the drain time ended")
	case <-ctx.Done():
		return fmt.Errorf("guard: handlers were still running: %w", ctx.Err())
	}
}

// giveUp cancels the contexts of running handlers, answers their calls and
// writes them to the audit log. It reports whether all handlers ended, in which
// case the log also has how they did.
func (r *Runner) giveUp(ctx context.Context) (ended bool) {
	for s := range r.stillRunning() {
		s.ctx.End(ErrGivenUp)
	}
	if await(ctx, answerTime, &r.calls, &r.handlers) == nil {
		return true
	}
	for s, inline := range r.stillRunning() {
		if inline {
			s.of.Abandon()
		}
	}
	return false
}

func (r *Runner) stillRunning() map[*Slot]bool {
	r.runningMu.Lock()
	defer r.runningMu.Unlock()
	return maps.Clone(r.running)
}

// Enter counts a call. Once the guard is closed, it counts nothing and reports
// false.
func (r *Runner) Enter() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if !r.closed {
		r.calls.Add(1)
	}
	return !r.closed
}

// Leave ends a call that Enter counted.
func (r *Runner) Leave() { r.calls.Done() }

// start counts a handler. Once the guard is closed, it counts nothing and
// reports false.
func (r *Runner) start(s *Slot) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return false
	}
	r.handlers.Add(1)
	r.runningMu.Lock()
	defer r.runningMu.Unlock()
	r.running[s] = false
	return true
}

// markRunning records that the handler of a slot runs now, and where. It
// reports false once Close has given up on the running handlers.
func (r *Runner) markRunning(s *Slot) bool {
	r.runningMu.Lock()
	defer r.runningMu.Unlock()
	if r.HasGivenUp() {
		return false
	}
	r.running[s] = !s.isolated
	return true
}

func (r *Runner) end(s *Slot) {
	r.runningMu.Lock()
	delete(r.running, s)
	r.runningMu.Unlock()
	r.handlers.Done()
}

// An Outlived is the call of a handler that may outlive it.
type Outlived interface {
	// EndLate is called if the handler ends after its caller was answered.
	EndLate(Ended)
	// Abandon is called if the guard closes while the handler runs on its
	// caller's goroutine.
	Abandon()
}

// A Slot permits one function of a tool author to run. It takes one of the
// slots of maxConcurrent, and the guard counts it. A closed guard gives out no
// slots.
type Slot struct {
	runner   *Runner
	taken    chan struct{} // nil: no concurrency limit
	isolated bool          // the function does not run on the goroutine of the call
	ctx      *contain.Context
	started  bool
	of       Outlived // the call that the handler runs for; nil before it starts
}

// Take returns a slot for a function that gets ctx. The slots of maxConcurrent
// are taken, which is nil if there is no limit. Do not give the slot back once
// the function has started. limit is the tool's time limit, or zero. The delay
// for a caller without a slot assumes that a call takes half of the limit on
// average, so one of n slots is free after that time divided by n.
func (r *Runner) Take(
	ctx context.Context, taken chan struct{}, isolated bool, limit time.Duration,
) (*Slot, *answer.Refusal) {
	s := &Slot{runner: r, taken: taken, isolated: isolated, ctx: contain.NewContext(ctx)}
	if s.taken != nil {
		select {
		case s.taken <- struct{}{}:
		default:
			after := max(answer.Soon, limit/time.Duration(2*cap(taken)))
			return nil, answer.Later(contract.CodeUnavailable, "too many calls are running", after).OrReplay()
		}
	}
	if !r.start(s) {
		s.release()
		return nil, answer.Closing()
	}
	return s, nil
}

// GiveBack gives back the slot of a handler that did not start. The slot may be
// nil.
func (s *Slot) GiveBack() {
	if s != nil && !s.started {
		s.started = true
		s.release()
		s.runner.end(s)
	}
}

func (s *Slot) release() {
	s.ctx.End(nil)
	s.free()
}

func (s *Slot) free() {
	if s.taken != nil {
		<-s.taken
	}
}

// Context returns the context of the function that runs in the slot.
func (s *Slot) Context() *contain.Context { return s.ctx }

// Free gives back the slot of a function that has ended, and leaves its
// context.
func (s *Slot) Free() {
	s.free()
	s.runner.end(s)
}
