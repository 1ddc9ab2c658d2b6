package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
)

const (
	// auditQueue is how many events may wait for the sink.
	auditQueue = 1024
	// sinkTimeout bounds one write of the sink.
	sinkTimeout = 10 * time.Second
	// intentTimeout bounds how long a call waits for its intent to be durable.
	intentTimeout = 2 * time.Second
)

var errQueueFull = errors.New("guard: the audit queue is full")

// A recorder hands events to the sink, one at a time and in order, on a
// goroutine of its own, so that a slow sink does not slow calls.
type recorder struct {
	sink    audit.Sink
	queue   chan record
	dropped atomic.Uint64

	mu      sync.Mutex
	started bool
	stopped bool
	ended   chan struct{}
}

type record struct {
	event audit.Event
	done  chan error // nil: nobody waits
}

func newRecorder(sink audit.Sink) *recorder {
	return &recorder{sink: sink, queue: make(chan record, auditQueue), ended: make(chan struct{})}
}

// put queues an event that nobody waits for; it is dropped and counted where
// the queue is full or closed.
func (r *recorder) put(e audit.Event) {
	if err := r.enqueue(record{event: e}); err != nil {
		r.dropped.Add(1)
	}
}

// putDurable returns nil once the sink has the event.
func (r *recorder) putDurable(e audit.Event) error {
	done := make(chan error, 1)
	if err := r.enqueue(record{event: e, done: done}); err != nil {
		return err
	}
	timer := time.NewTimer(intentTimeout)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errLate
	}
}

func (r *recorder) enqueue(rec record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return errors.New("guard: the audit queue is closed")
	}
	if !r.started {
		r.started = true
		go r.loop()
	}
	select {
	case r.queue <- rec:
		return nil
	default:
		return errQueueFull
	}
}

func (r *recorder) loop() {
	defer close(r.ended)
	for rec := range r.queue {
		err := r.write(rec.event)
		switch {
		case rec.done != nil:
			rec.done <- err
		case err != nil:
			r.dropped.Add(1)
		}
	}
}

// write calls the sink and contains its panic.
func (r *recorder) write(e audit.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), sinkTimeout)
	defer cancel()
	return r.sink.Write(ctx, e)
}

// flush refuses further events and waits for the queue.
func (r *recorder) flush(ctx context.Context) error {
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
