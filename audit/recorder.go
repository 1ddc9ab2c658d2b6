package audit

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

var _ Sink = (*Recorder)(nil)

// A Recorder is a [Sink] for tests. It keeps all events in memory, without a
// bound. The zero Recorder is empty and ready for use. A Recorder is safe for
// concurrent use.
type Recorder struct {
	mu     sync.Mutex
	events []Event
}

// Write keeps the event. If ctx is done, it returns an error that wraps the
// context's and keeps nothing.
func (r *Recorder) Write(ctx context.Context, e Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("audit: the event is not kept: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	return nil
}

// Events returns the events of the given kinds, in the order in which they were
// written; without kinds it returns all. The slice belongs to the caller.
//
// A guard writes most events after it has answered the call. Close the guard
// first to see all of them.
func (r *Recorder) Events(kinds ...Kind) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var events []Event
	for _, e := range r.events {
		if len(kinds) == 0 || slices.Contains(kinds, e.Kind) {
			events = append(events, e)
		}
	}
	return events
}
