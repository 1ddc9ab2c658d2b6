package recorder

import "sync"

// An outage is the time in which the sink accepts no events. It is safe for
// concurrent use.
type outage struct {
	mu    sync.Mutex
	why   error         // nil: the sink accepts events
	begun chan struct{} // closed during an outage
}

func (o *outage) begin(why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why == nil {
		close(o.begun)
	}
	o.why = why
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why != nil {
		o.why = nil
		o.begun = make(chan struct{})
	}
}

// cause returns why the sink accepts no events, or nil.
func (o *outage) cause() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.why
}

// began returns a channel that is closed once an outage begins.
func (o *outage) began() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}
