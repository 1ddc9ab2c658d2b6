package stdio

import "sync"

// maxCalls is how many calls run outside the server, which has as many workers
// of its own.
const maxCalls = 5

// readers read an input and answer the calls that a shortcut takes. One of them
// reads at a time. It answers the call that it has read itself, so that the
// answer does not wait for another goroutine to wake up, and another reader
// goes on reading. Readers stay until end, because a new one would have to grow
// its stack for each call.
type readers struct {
	next   func() (run func() []byte, more bool) // reads up to the next call; a nil run means that there is none
	answer func(run func() []byte)
	turn   chan struct{} // has an element while no reader reads
	done   chan struct{}

	mu    sync.Mutex
	count int
	busy  int // the readers that answer a call; the others read or wait for their turn
}

// newReaders returns readers. The caller must start the first one with run.
func newReaders(next func() (func() []byte, bool), answer func(func() []byte)) *readers {
	r := &readers{next: next, answer: answer, turn: make(chan struct{}, 1), done: make(chan struct{}), count: 1}
	r.turn <- struct{}{}
	return r
}

// isFree reports whether a reader may answer one more call.
func (r *readers) isFree() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy < maxCalls
}

// end ends the readers that wait for their turn, and each other one when it
// would wait.
func (r *readers) end() { close(r.done) }

func (r *readers) run() {
	for {
		select {
		case <-r.turn:
		case <-r.done:
			return
		}
		run, more := r.next()
		if run == nil {
			return
		}
		r.begin(more)
		r.work(run)
	}
}

// begin counts a reader that begins to answer. If there is more to read, it
// gives the turn to another reader.
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
func (r *readers) work(run func() []byte) {
	answered := false
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
		if !answered {
			r.count--
		}
	}()
	r.answer(run)
	answered = true
}
