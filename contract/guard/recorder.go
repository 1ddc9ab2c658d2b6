package guard

import (
	"context"
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
	// intentWriters is how many intents may be on their way to the sink at
	// once, so that one that hangs does not gather goroutines.
	intentWriters = 64
)

// A recorder hands events to the sink in order, on a goroutine of its own, so
// that a slow sink does not slow calls. Intents, which their calls wait for, go
// to it side by side, so that a sink may make many durable at once.
type recorder struct {
	sink    audit.Sink
	intents chan struct{} // one place for each intent on its way
	queue   chan audit.Event
	dropped atomic.Uint64

	mu      sync.Mutex
	started bool
	stopped bool
	ended   chan struct{}
}

func newRecorder(sink audit.Sink) *recorder {
	return &recorder{sink: sink, queue: make(chan audit.Event, auditQueue), intents: make(chan struct{}, intentWriters), ended: make(chan struct{})}
}

// put queues an event; it is dropped and counted where the queue is full or
// closed.
func (r *recorder) put(e audit.Event) {
	if !r.enqueue(e) {
		r.dropped.Add(1)
	}
}

func (r *recorder) enqueue(e audit.Event) bool {
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

func (r *recorder) loop() {
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

// putDurable returns nil once the sink has the event.
func (r *recorder) putDurable(e audit.Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), intentTimeout)
	select {
	case r.intents <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return errLate
	}
	done := make(chan error, 1)
	go func() {
		defer cancel()
		defer func() { <-r.intents }()
		err := errGoexit
		defer func() { done <- err }()
		err = r.write(ctx, e)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // both at once, for the writer's end ends ctx too
		return err
	default:
		return errLate
	}
}

// write calls the sink and contains its panic.
func (r *recorder) write(ctx context.Context, e audit.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
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
