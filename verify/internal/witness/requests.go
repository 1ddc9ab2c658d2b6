package witness

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"sync"
)

// Requests records the method and host of each HTTP request. The zero value is
// ready to use. It is safe for concurrent use.
type Requests struct {
	mu     sync.Mutex
	events []Event
}

// Record records a request as an event, without its path and body. A request
// without a method is a GET, as in net/http.
func (r *Requests) Record(request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = add(r.events, Event{
		Kind: Request, By: HTTP, Address: hostPort(request.URL), Network: "tcp",
		Method: cmp.Or(request.Method, http.MethodGet),
	})
}

// take returns the events since the last take.
func (r *Requests) take() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// hostPort returns a URL's address, with its scheme's port if it names none.
func hostPort(u *url.URL) string {
	if u == nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
