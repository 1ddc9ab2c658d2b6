package stdio

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// An exchange counts the requests that were read and not yet answered.
type exchange struct {
	mu      sync.Mutex
	open    map[jsonrpc.ID]bool
	waiting chan struct{} // closed when no request is open; nil if nothing waits
}

func newExchange() *exchange { return &exchange{open: map[jsonrpc.ID]bool{}} }

// received adds a request. It returns false if the id is already open.
func (x *exchange) received(id jsonrpc.ID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open[id] {
		return false
	}
	x.open[id] = true
	return true
}

// answered removes a request, if it was counted.
func (x *exchange) answered(id jsonrpc.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, id)
	if len(x.open) == 0 && x.waiting != nil {
		close(x.waiting)
		x.waiting = nil
	}
}

// unanswered returns the number of open requests.
func (x *exchange) unanswered() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open)
}

// settled waits up to limit until no request is open. It reports whether that
// happened.
func (x *exchange) settled(limit time.Duration) bool {
	x.mu.Lock()
	if len(x.open) == 0 {
		x.mu.Unlock()
		return true
	}
	if x.waiting == nil {
		x.waiting = make(chan struct{})
	}
	waiting := x.waiting
	x.mu.Unlock()
	select {
	case <-waiting:
		return true
	case <-time.After(limit):
		return false
	}
}
