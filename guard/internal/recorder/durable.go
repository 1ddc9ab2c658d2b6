package recorder

import (
	"context"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// PutDurable writes an event and returns nil once the sink has it. A queued
// question of the same call is written first, and so are the events being
// gathered, unless that takes longer than 20 milliseconds. PutDurable still
// works after Flush, and does not count the event of a failed write as lost.
// The context is only passed on to the [Accepted] function.
func (r *Recorder) PutDurable(ctx context.Context, e audit.Event) error {
	err := r.putDurable(e)
	if err == nil {
		r.accept(ctx, e)
	}
	return err
}

func (r *Recorder) putDurable(e audit.Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), durableTimeout)
	r.awaitGathered()
	if !takeAfter(ctx, r.question(e.CallID), r.durable) {
		cancel()
		return contain.ErrLate
	}
	done := make(chan error, 1)
	go func() {
		defer cancel()
		defer func() { <-r.durable }()
		err := contain.ErrGoexit
		defer func() { done <- err }()
		err = r.write(ctx, e)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // a finished write cancels ctx too
		return err
	default:
		return contain.ErrLate
	}
}

// takeAfter waits until after is closed and then takes a slot. It reports false
// if ctx ends first.
func takeAfter(ctx context.Context, after <-chan struct{}, slots chan<- struct{}) bool {
	select {
	case <-after:
	case <-ctx.Done():
		return false
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
