package stdio

import "sync"

// maxCallers is how many calls run beside the server, which has as many workers
// of its own.
const maxCallers = 5

// A call is a tools/call that will be answered.
type call struct {
	id   string
	line []byte
}

// callers answer calls beside the server, on goroutines that stay: a new one
// would grow its stack for each call. Nil callers take no calls.
type callers struct {
	exchange *exchange
	answer   func(line []byte) []byte // see [Server].Call
	waiting  chan call
	ended    chan struct{}

	mu    sync.Mutex
	count int
}

// newCallers returns nil for a nil function.
func newCallers(x *exchange, answer func([]byte) []byte) *callers {
	if answer == nil {
		return nil
	}
	return &callers{exchange: x, answer: answer, waiting: make(chan call), ended: make(chan struct{})}
}

// take gives a call to a caller that is free, and reports false if none is.
func (c *callers) take(next call) bool {
	if c == nil {
		return false
	}
	select {
	case c.waiting <- next:
		return true
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == maxCallers {
		return false
	}
	c.count++
	go c.run(next)
	return true
}

// run answers calls until the input has ended. A function that ends the
// goroutine leaves its call without an answer, and makes room for another one.
func (c *callers) run(next call) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count--
	}()
	for {
		c.exchange.send(append(c.answer(next.line), '\n'))
		c.exchange.answered(next.id)
		select {
		case next = <-c.waiting:
		case <-c.ended:
			return
		}
	}
}

// end lets the callers end that answer no call.
func (c *callers) end() {
	if c != nil {
		close(c.ended)
	}
}
