package adapters_test

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// A web serves a handler over in-memory connections, so that the suite opens no
// port and also runs in a testing/synctest bubble.
type web struct {
	server *http.Server
	client *http.Client
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	served chan struct{}
}

func newWeb(handler http.Handler) *web {
	w := &web{conns: make(chan net.Conn), closed: make(chan struct{}), served: make(chan struct{})}
	w.server = &http.Server{Handler: handler}
	w.client = &http.Client{Transport: &http.Transport{DialContext: w.dial, DisableKeepAlives: true}}
	go func() {
		defer close(w.served)
		_ = w.server.Serve(w) // returns once close is called
	}()
	return w
}

// address is where clients believe the endpoint to be.
const address = "http://localhost/mcp"

func (w *web) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case w.conns <- there:
		return here, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the server and its connections.
func (w *web) close() {
	_ = w.server.Close()
	w.client.CloseIdleConnections()
	<-w.served
}

// Accept implements [net.Listener].
func (w *web) Accept() (net.Conn, error) {
	select {
	case conn := <-w.conns:
		return conn, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (w *web) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

// Addr implements [net.Listener].
func (w *web) Addr() net.Addr { return memory{} }

// memory is the address of connections in memory.
type memory struct{}

func (memory) Network() string { return "memory" }
func (memory) String() string  { return "memory" }
