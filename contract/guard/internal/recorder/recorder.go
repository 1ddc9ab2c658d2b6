// Package recorder passes audit events to a sink that the guard does not
// control. A slow or broken sink neither slows calls nor breaks them.
package recorder

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/internal/panics"
)

const (
	// queueSize is the number of events that may wait for the sink.
	queueSize = 1024
	// sinkTimeout bounds one write of the sink.
	sinkTimeout = 10 * time.Second
	// durableTimeout bounds how long a call waits for its event to be durable.
	durableTimeout = 2 * time.Second
	// durableWriters is the number of durable writes that may run at once. It
	// bounds the goroutines that a hanging sink can hold.
	durableWriters = 64
)

// A Recorder writes events to one sink. [Recorder.Put] queues an event for one
// goroutine that writes in order. [Recorder.PutDurable] waits for the write,
// and such writes run side by side, so that a sink can make many durable at
// once.
//
// The goroutine starts with the first queued event and ends with
// [Recorder.Flush]. A Recorder is safe for concurrent use.
type Recorder struct {
	sink     audit.Sink
	panicked contain.PanicFunc
	durable  chan struct{} // one slot for each durable write
	queue    chan audit.Event
	dropped  atomic.Uint64

	mu      sync.Mutex
	started bool
	stopped bool
	ended   chan struct{}
}

// New returns a Recorder for a sink. The function panicked gets each panic of
// the sink.
func New(sink audit.Sink, panicked contain.PanicFunc) *Recorder {
	return &Recorder{
		sink: sink, panicked: panicked, queue: make(chan audit.Event, queueSize), durable: make(chan struct{}, durableWriters), ended: make(chan struct{}),
	}
}

// Put queues an event. It drops and counts the event if the queue is full or
// the Recorder was flushed.
func (r *Recorder) Put(e audit.Event) {
	if !r.enqueue(e) {
		r.dropped.Add(1)
	}
}

// Dropped returns the number of events given to Put that the sink did not
// accept.
func (r *Recorder) Dropped() uint64 { return r.dropped.Load() }

func (r *Recorder) enqueue(e audit.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	if !r.started {
		r.started = true
		go r.loop()
	}
	select {
	case r.queue <- e:
		return true
	default:
		return false
	}
}

func (r *Recorder) loop() {
	ended := false
	defer func() {
		if ended {
			close(r.ended)
			return
		}
		r.dropped.Add(1) // the sink ended this goroutine
		go r.loop()
	}()
	for e := range r.queue {
		ctx, cancel := context.WithTimeout(context.Background(), sinkTimeout)
		if r.write(ctx, e) != nil {
			r.dropped.Add(1)
		}
		cancel()
	}
	ended = true
}

// PutDurable writes an event and returns nil once the sink has it. It works
// after Flush too, and the event of a failed write is not counted as dropped.
func (r *Recorder) PutDurable(e audit.Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), durableTimeout)
	select {
	case r.durable <- struct{}{}:
	case <-ctx.Done():
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

// write calls the sink and contains its panic.
func (r *Recorder) write(ctx context.Context, e audit.Event) (err error) {
	defer func() { r.panicked.Report(ctx, err) }()
	defer panics.Recover(&err)
	return r.sink.Write(ctx, e)
}

// Flush refuses further queued events and waits for the queue until ctx ends.
func (r *Recorder) Flush(ctx context.Context) error {
	r.mu.Lock()
	if !r.stopped {
		r.stopped = true
		close(r.queue)
		if !r.started {
			close(r.ended)
		}
	}
	r.mu.Unlock()
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("guard: audit events were still waiting: %w", ctx.Err())
	}
}
