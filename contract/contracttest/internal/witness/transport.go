package witness

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"sync"
)

// A Transport records the method and the host of each request, and passes it
// on. The zero value is valid and uses [http.DefaultTransport]. It is safe for
// concurrent use.
type Transport struct {
	// Base sends the requests. Nil means [http.DefaultTransport].
	Base http.RoundTripper

	mu     sync.Mutex
	events []Event
}

// RoundTrip records a request and sends it.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.mu.Lock()
	t.events = add(t.events, Event{
		Kind: Request, By: HTTP, Address: hostPort(request.URL), Network: "tcp",
		Method: cmp.Or(request.Method, http.MethodGet),
	})
	t.mu.Unlock()
	if t.Base != nil {
		return t.Base.RoundTrip(request)
	}
	return http.DefaultTransport.RoundTrip(request)
}

// take returns the events since the last take.
func (t *Transport) take() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	events := t.events
	t.events = nil
	return events
}

// hostPort returns the address of a URL, with the port of its scheme if it
// names none.
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
