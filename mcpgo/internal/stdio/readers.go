package stdio

import "sync"

// maxCalls is how many calls run beside the server, which has as many workers
// of its own.
const maxCalls = 5

// readers read an input and answer its calls. One of them reads at a time. When
// it has read a call, it answers the call itself, so that the answer does not
// wait until another goroutine wakes up. Another reader continues to read.
// Readers stay until end, because a new one would grow its stack for each call.
type readers struct {
	next   func() (c call, more bool) // reads up to the next call; a call without an answer is none
	answer func(c call)
	turn   chan struct{} // has an element while no reader reads
	ended  chan struct{}

	mu    sync.Mutex
	count int
	busy  int // the readers that answer a call; others wait for their turn, or read
}

// newReaders returns readers. The caller must start the first one with run.
func newReaders(next func() (call, bool), answer func(call)) *readers {
	r := &readers{next: next, answer: answer, turn: make(chan struct{}, 1), ended: make(chan struct{}), count: 1}
	r.turn <- struct{}{}
	return r
}

// isFree reports whether a reader may answer one more call.
func (r *readers) isFree() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy < maxCalls
}

// end ends the readers that wait for their turn, and the others once they wait.
func (r *readers) end() { close(r.ended) }

func (r *readers) run() {
	for {
		select {
		case <-r.turn:
		case <-r.ended:
			return
		}
		c, more := r.next()
		if c.answer == nil {
			return
		}
		r.begin(more)
		r.work(c)
	}
}

// begin counts a reader that answers. If there is more to read, it makes it the
// turn of another reader.
func (r *readers) begin(more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy++
	if !more {
		return
	}
	if r.busy == r.count {
		r.count++
		go r.run()
	}
	r.turn <- struct{}{}
}

// work answers a call. A function that ends the goroutine leaves its call
// without an answer, and makes room for another reader.
func (r *readers) work(c call) {
	answered := false
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
		if !answered {
			r.count--
		}
	}()
	r.answer(c)
	answered = true
}
