package stdio

import "sync"

// maxCalls is how many calls run beside the server, which has as many workers
// of its own.
const maxCalls = 5

// readers read an input and answer its calls. One of them reads at a time. When
// it has read a call, another one reads on, and it answers the call itself, so
// that no answer waits until a goroutine wakes up. Readers stay: a new one
// would grow its stack for each call.
type readers struct {
	next   func() (c call, more bool) // reads up to the next call; zero: there is none
	answer func(c call)
	turn   chan struct{} // has an element if it is the turn of any reader
	ended  chan struct{}

	mu    sync.Mutex
	count int
	busy  int // answer a call; others wait for their turn, or read
}

// newReaders returns readers of which the first one must be started with run.
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

// end lets the readers end that neither read nor answer.
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

// begin makes it the turn of another reader, if there is more to read.
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
