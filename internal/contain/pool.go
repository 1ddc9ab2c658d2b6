package contain

import (
	"context"
	"errors"
	"runtime/pprof"
	"slices"
	"sync"
	"time"
)

// idleTime is the time between two looks for workers that nothing used.
const idleTime = time.Second

// ErrGoexit means that a function ended its goroutine by runtime.Goexit.
var ErrGoexit = errors.New("the goroutine ended")

// A Pool runs functions on goroutines that stay for a while, its workers.
//
// A new goroutine starts with a small stack, and copies it each time that it
// must grow. The garbage collector shrinks the stacks of idle goroutines, such
// as those of idle connections. A function runs on the worker that was idle for
// the shortest time, whose stack is most likely still large.
//
// In a bubble of testing/synctest, each function has a new goroutine.
//
// Functions share workers one after the other, as requests of one connection
// share a goroutine of net/http. A function that locks its thread with
// runtime.LockOSThread must unlock it.
//
// The number of workers has no bound: a function that finds no idle worker gets
// a new one. A worker that nothing used for a second or two ends. The zero Pool
// is ready to use. It is safe for concurrent use, and must not be copied.
type Pool struct {
	mu       sync.Mutex
	idle     []worker    // the last one was used last
	unused   int         // the first so many of idle were not used since the last sweep
	sweep    *time.Timer // calls endUnused; nil before the first
	sweeping bool        // sweep is set
	closed   bool
}

// A worker takes functions.
type worker chan func()

// Go runs f as the go statement does, on a worker. If f ends its goroutine, the
// worker ends with it.
func (p *Pool) Go(f func()) {
	if inBubble() {
		go f()
		return
	}
	w := p.take()
	if w == nil {
		w = make(worker, 1)
		go p.run(w)
	}
	w <- f
}

// Do runs f on a worker and waits until it ends. The error is nil, ErrGoexit,
// or a *[PanicError].
func (p *Pool) Do(f func()) error {
	err := ErrGoexit
	done := make(chan struct{})
	p.Go(func() {
		defer close(done)
		defer Recover(&err)
		f()
		err = nil
	})
	<-done
	return err
}

// Close ends the idle workers, and each other worker after its function. A
// closed pool still runs functions.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.end(len(p.idle))
	if p.sweep != nil {
		p.sweep.Stop()
	}
}

// run runs the functions of a worker. A new worker has the pprof labels of its
// first caller. They end with its first function, because what follows is done
// for others.
func (p *Pool) run(w worker) {
	for f := range w {
		f()
		pprof.SetGoroutineLabels(context.Background())
		if !p.put(w) {
			return
		}
	}
}

// take returns an idle worker, or nil.
func (p *Pool) take() worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	w := p.idle[last]
	p.idle = p.idle[:last]
	p.unused = min(p.unused, last)
	return w
}

// put makes a worker idle. It reports false if the worker must end.
func (p *Pool) put(w worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.idle = append(p.idle, w)
	switch {
	case p.sweeping:
	case p.sweep == nil:
		p.sweep = time.AfterFunc(idleTime, p.endUnused)
	default:
		p.sweep.Reset(idleTime)
	}
	p.sweeping = true
	return true
}

// endUnused ends the workers that nothing has used since it ran last.
func (p *Pool) endUnused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(p.unused)
	p.unused = len(p.idle)
	if p.sweeping = p.unused > 0; p.sweeping {
		p.sweep.Reset(idleTime)
	}
}

// end ends the first n idle workers. The caller holds the lock.
func (p *Pool) end(n int) {
	for _, w := range p.idle[:n] {
		close(w)
	}
	p.idle = slices.Delete(p.idle, 0, n)
	p.unused = 0
}
