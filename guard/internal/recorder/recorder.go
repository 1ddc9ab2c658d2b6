// Package recorder passes audit events to a sink that the guard does not
// control. Callers wait for a slow sink, but not without limit. Events that a
// broken sink loses are counted and reported.
package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/contain"
)

const (
	// queueSize is the number of events that may wait for the sink.
	queueSize = 1024
	// placeTimeout bounds how long Put waits for room in a full queue.
	placeTimeout = 10 * time.Second
	// sinkTimeout bounds one write of the sink.
	sinkTimeout = 10 * time.Second
	// hangTime is how long one write of a queued event may take before the sink
	// counts as broken.
	hangTime = 2 * time.Second
	// linger is how long events are gathered once the queue is empty. Waking a
	// goroutine for each event costs more than writing it.
	linger = time.Millisecond
	// patience bounds how long a durable event waits for those gathered before
	// it. If the sink is slower, it is written alongside them.
	patience = 20 * time.Millisecond
	// durableTimeout bounds how long a call waits for its event to be durable.
	durableTimeout = 2 * time.Second
	// durableWriters is the number of durable writes that may run at once. It
	// bounds the goroutines that a hanging sink can hold.
	durableWriters = 64
)

var (
	errSlow    = errors.New("the sink is slower than the calls")
	errFlushed = errors.New("the guard is closed")
)

// A Recorder writes events to one sink. [Recorder.Put] queues an event for one
// goroutine that writes in order. [Recorder.PutDurable] waits for the write.
// Such writes run concurrently, so that a sink can make many events durable at
// once.
//
// The goroutine starts with the first queued event and ends with
// [Recorder.Flush]. It writes an event at once if none came just before, and
// about a millisecond later otherwise. A Recorder is safe for concurrent use.
type Recorder struct {
	receivers

	durable chan struct{}  // one slot for each durable write
	queue   chan queued    // made with the goroutine
	putting sync.WaitGroup // calls of Put that have not queued their event yet
	outage  outage
	losses  losses
	flushed chan struct{} // closed by Flush
	ended   chan struct{} // closed when the queue has been written after Flush
	current queued        // that the goroutine writes, which alone uses it
	hanging *time.Timer   // calls hang; it runs while an event is written

	mu      sync.Mutex
	started bool
	stopped bool
	asked   map[string]chan struct{} // by call id, the last queued question or decision; closed once the sink had it
	batch   *batch                   // the last one; nil before the first
}

// receivers are the sink and the functions that a Recorder calls.
type receivers struct {
	sink     audit.Sink
	panicked contain.PanicFunc
	accepted Accepted
}

type queued struct {
	audit.Event

	done chan struct{} // closed once the sink had the event; nil if nothing waits for it
}

// A batch is a group of events gathered to be written together.
type batch struct {
	hurry chan struct{} // ends the gathering; never blocks
	done  chan struct{} // closed once the sink had the events
}

// Accepted is called with each event, on its caller's goroutine, when the event
// is about to be queued or is durable. A nil function is not called.
type Accepted func(context.Context, audit.Event)

// New returns a Recorder for a sink. It calls panicked with each panic of the
// sink, and report with the lost events: at once, then at most every 10
// seconds. The calls of report run one at a time, on their own goroutine.
func New(sink audit.Sink, panicked contain.PanicFunc, report func(Loss), accepted Accepted) *Recorder {
	return &Recorder{
		receivers: receivers{sink, panicked, accepted},
		durable:   make(chan struct{}, durableWriters),
		outage:    outage{begun: make(chan struct{})}, losses: losses{report: report, flushed: make(chan struct{})},
		flushed: make(chan struct{}), ended: make(chan struct{}), asked: map[string]chan struct{}{},
	}
}

// Put queues an event. While the queue is full and the sink accepts events, it
// waits for room, for at most 10 seconds. An event that finds no room is lost,
// and so is every event after Flush. The context is only passed on to the
// [Accepted] function.
func (r *Recorder) Put(ctx context.Context, e audit.Event) {
	r.accept(ctx, e)
	if !r.enter() {
		r.losses.add(errFlushed)
		return
	}
	defer r.putting.Done()
	q := queued{Event: e}
	if e.Kind == audit.Asked || e.Kind == audit.Decided {
		q.done = r.expect(e.CallID)
	}
	select {
	case r.queue <- q:
	default:
		r.wait(q)
	}
}

// enter registers a call of Put, and starts the goroutine if it is not running.
// It reports false after Flush.
func (r *Recorder) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	if !r.started {
		r.started = true
		r.queue = make(chan queued, queueSize)
		go r.loop()
	}
	r.putting.Add(1)
	return true
}

// wait queues an event as soon as the full queue has room.
func (r *Recorder) wait(q queued) {
	timeout := time.NewTimer(placeTimeout)
	defer timeout.Stop()
	select {
	case r.queue <- q:
	case <-r.outage.began():
		r.lose(q, r.outage.cause())
	case <-timeout.C:
		r.outage.begin(errSlow)
		r.lose(q, errSlow)
	}
}

func (r *Recorder) accept(ctx context.Context, e audit.Event) {
	if r.accepted != nil {
		r.accepted(ctx, e)
	}
}

// Waiting returns the number of events in the queue.
func (r *Recorder) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue)
}

// Err returns why the sink accepts no events at the moment. It is nil while the
// sink accepts them.
func (r *Recorder) Err() error { return r.outage.cause() }

// Lost returns the number of events passed to Put that the sink did not accept.
func (r *Recorder) Lost() int { return r.losses.count() }

func (r *Recorder) loop() {
	ended := false
	defer func() {
		if ended {
			close(r.ended)
			return
		}
		r.settle(r.current, contain.ErrGoexit) // the sink ended this goroutine
		go r.loop()
	}()
	r.hanging = time.AfterFunc(hangTime, r.hang)
	r.hanging.Stop()
	for q := range r.queue {
		err := r.pass(q)
		for err == nil && len(r.queue) == 0 && r.gather() {
			err = r.outage.cause()
		}
	}
	ended = true
}

// pass writes an event from the queue.
func (r *Recorder) pass(q queued) error {
	r.current = q
	err := r.deliver(q.Event)
	r.settle(q, err)
	return err
}

// gather lets events collect in the queue for a moment and writes them. It
// reports whether there were any.
func (r *Recorder) gather() bool {
	b := &batch{hurry: make(chan struct{}, 1), done: make(chan struct{})}
	defer close(b.done)
	r.mu.Lock()
	r.batch = b
	r.mu.Unlock()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.hurry:
	case <-r.flushed:
	}
	n := len(r.queue)
	for range n {
		_ = r.pass(<-r.queue) // settled
	}
	return n > 0
}

// awaitGathered waits, for a bounded time, until the sink has the events
// gathered so far.
func (r *Recorder) awaitGathered() {
	r.mu.Lock()
	b := r.batch
	r.mu.Unlock()
	if b == nil {
		return
	}
	select {
	case <-b.done:
		return
	default:
	}
	select {
	case b.hurry <- struct{}{}:
	default: // another durable event hurries it
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-b.done:
	case <-timer.C:
	}
}

func (r *Recorder) deliver(e audit.Event) error {
	ctx := contain.WithLimit(context.Background(), sinkTimeout, nil)
	defer ctx.End(nil)
	r.hanging.Reset(hangTime)
	defer r.hanging.Stop()
	return r.write(ctx, e)
}

// hang records that the sink is taking too long over one event.
func (r *Recorder) hang() {
	r.outage.begin(contain.ErrLate)
	r.losses.note(contain.ErrLate)
}

// settle records whether the sink accepted an event.
func (r *Recorder) settle(q queued, err error) {
	if err != nil {
		r.outage.begin(err)
		r.lose(q, err)
		return
	}
	r.outage.end()
	r.finish(q)
}

func (r *Recorder) lose(q queued, cause error) {
	r.losses.add(cause)
	r.finish(q)
}

// expect returns a channel for a call's question, or the answer to it, that is
// about to be queued. An intent of the same call waits until [Recorder.finish]
// closes it.
func (r *Recorder) expect(callID string) chan struct{} {
	done := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[callID] = done
	return done
}

// finish lets the intent of a call follow once the sink has had its question.
func (r *Recorder) finish(q queued) {
	if q.done == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked[q.CallID] == q.done {
		delete(r.asked, q.CallID)
	}
	close(q.done)
}

// question returns the channel of a call's queued question, or a closed channel
// if it has none.
func (r *Recorder) question(callID string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done := r.asked[callID]; done != nil {
		return done
	}
	none := make(chan struct{})
	close(none)
	return none
}

// write calls the sink and contains a panic.
func (r *Recorder) write(ctx context.Context, e audit.Event) (err error) {
	defer func() { r.panicked.Report(ctx, err) }()
	defer contain.Recover(&err)
	if err = r.sink.Write(ctx, e); err != nil {
		_ = err.Error() // panics here, and not when the text is needed
	}
	return err
}

// Flush refuses further events for the queue. It waits until the queue is
// written and every lost event is reported, or until ctx ends.
func (r *Recorder) Flush(ctx context.Context) error {
	r.stop()
	select {
	case <-r.ended:
	case <-ctx.Done():
		return fmt.Errorf("guard: about %d audit events were still waiting for the sink: %w", len(r.queue)+1, ctx.Err())
	}
	return r.losses.flush(ctx)
}

// stop lets the goroutine end once it has written the events that Put accepted.
func (r *Recorder) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	r.stopped = true
	close(r.flushed)
	if !r.started {
		close(r.ended)
		return
	}
	go func() {
		r.putting.Wait()
		close(r.queue)
	}()
}
