package serve_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
)

func TestMain(m *testing.M) {
	// The runtime starts its signal goroutine at the first Notify. It must not
	// belong to the bubble of a test.
	first := make(chan os.Signal, 1)
	signal.Notify(first, syscall.SIGTERM)
	signal.Stop(first)
	os.Exit(m.Run())
}

// pipes is a listener on a loopback address whose connections are in memory, so
// that their time is that of a bubble.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

var errRefused = errors.New("connection refused")

func (p *pipes) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.accepted <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, errRefused
	}
}

// client returns a client of the listener.
func (p *pipes) client(t *testing.T) *http.Client {
	t.Helper()
	over := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial() }}
	t.Cleanup(over.CloseIdleConnections)
	return &http.Client{Transport: over}
}

func newGuard(t *testing.T, opts ...guard.Option) *guard.Guard {
	t.Helper()
	g, err := guard.New(opts...)
	require.NoError(t, err)
	return g
}

// start runs a server until stop is called, which returns the error of Serve.
func start(t *testing.T, s *serve.Server, g *guard.Guard) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, g) }()
	once := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = once() })
	return once
}

func identified(context.Context) (guard.Principal, error) {
	return guard.Principal{Subject: "alice"}, nil
}

// get sends a request and returns its status and body.
func get(t *testing.T, c *http.Client, method, url string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	resp, err := c.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func answer(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}
