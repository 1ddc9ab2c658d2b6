package running

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/guard/internal/deadline"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
)

// A Slot permits one function of a tool author to run. It takes one of the
// slots of maxConcurrent, and the guard counts it. A closed guard gives out no
// slots.
type Slot struct {
	runner   *Runner
	taken    chan struct{} // nil: no concurrency limit
	isolated bool          // the function does not run on the goroutine of the call
	ctx      *deadline.Context
	started  bool
	of       Outlived // the call that the handler runs for; nil before it starts
}

// Take returns a slot for a function that gets ctx. taken are the slots of
// maxConcurrent, nil if there is no limit. Do not give the slot back once the
// function has started.
func (r *Runner) Take(ctx context.Context, taken chan struct{}, isolated bool) (*Slot, *refusal.Refusal) {
	s := &Slot{runner: r, taken: taken, isolated: isolated, ctx: deadline.New(ctx)}
	if s.taken != nil {
		select {
		case s.taken <- struct{}{}:
		default:
			return nil, refusal.Unavailable("too many calls of this tool are running").OrReplay()
		}
	}
	if !r.start(s) {
		s.release()
		return nil, refusal.Closing()
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

// release ends the context and frees the concurrency slot.
func (s *Slot) release() {
	s.ctx.End(nil)
	s.free()
}

// free frees the concurrency slot.
func (s *Slot) free() {
	if s.taken != nil {
		<-s.taken
	}
}

// Context returns the context of the function that runs in the slot.
func (s *Slot) Context() *deadline.Context { return s.ctx }

// Free gives back the slot of a function that has ended, and leaves its
// context.
func (s *Slot) Free() {
	s.free()
	s.runner.end(s)
}
