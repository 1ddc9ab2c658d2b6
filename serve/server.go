package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/adapter"
)

// A Server serves handlers at one address. Make one with [Listen] or [New],
// mount handlers with [Server.Handle], and call [Server.Serve] once. The zero
// Server cannot be used. It is safe for concurrent use.
type Server struct {
	listener net.Listener
	mux      *http.ServeMux
	names    names
	config   Config
	ready    atomic.Bool
	mistakes []error
}

// Listen opens a TCP address, such as 127.0.0.1:8080, and returns a server for
// it. Port 0 takes a free port: see [Server.Origin]. No request is answered
// before [Server.Serve]. The error names every wrong field, and the remedy for
// an address that is not a loopback address.
func Listen(address string, c Config) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve: %w; pass a free address with a port, such as 127.0.0.1:8080", err)
	}
	s, err := New(listener, c)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// ErrNotLoopback is returned by [Listen] and [New] for an address that other
// machines can reach, without Origin in the [Config].
var ErrNotLoopback = errors.New("serve: the address is not a loopback address, and the server does not know its name; " +
	"listen on a loopback address such as 127.0.0.1:8080, or set Origin of serve.Config to the https origin at which " +
	"clients reach it")

// New returns a server for a listener, such as one that terminates TLS itself,
// or one that a supervisor opened. The server closes the listener. A listener
// that is not on a loopback address needs an Origin in the [Config]. If there
// is an error, the listener stays open.
func New(listener net.Listener, c Config) (*Server, error) {
	if listener == nil {
		return nil, errors.New("serve: the listener is nil; pass one, or call serve.Listen")
	}
	n, err := c.names(listener.Addr())
	if err != nil {
		return nil, err
	}
	c.TLS = c.TLS.Clone()
	c.BodyTimeout = cmp.Or(c.BodyTimeout, defaultBodyTimeout)
	return &Server{listener: listener, mux: http.NewServeMux(), names: n, config: c}, nil
}

// Origin returns the origin at which clients reach the server, such as
// http://127.0.0.1:41234: that of the [Config], with its path, or else that of
// the listener.
func (s *Server) Origin() string { return s.names.origin }

// Handle mounts a handler at a pattern of [http.ServeMux]. A pattern that is
// invalid or taken is an error of [Server.Serve]. Call Handle before Serve. The
// pattern, and the path that the handler sees, are without the path of Origin
// in the [Config].
func (s *Server) Handle(pattern string, h http.Handler) {
	defer func() {
		if v := recover(); v != nil {
			s.mistakes = append(s.mistakes, fmt.Errorf("serve: Handle: %v", v))
		}
	}()
	s.mux.Handle(s.names.below(pattern), s.names.withoutPath(pattern, h))
}

// HandleTree mounts a handler at a path and at everything below it, as the
// pages for people need it. Otherwise it is like [Server.Handle].
func (s *Server) HandleTree(path string, h http.Handler) {
	path = strings.TrimSuffix(path, "/")
	s.Handle(path+"/", h)
	if path != "" {
		s.Handle(path, h)
	}
}

// Close closes the address of a server that does not serve. After
// [Server.Serve] it does nothing.
func (s *Server) Close() error {
	if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// The paths of health are those of the listener, whatever the path of the
// server is, because orchestrators call them by address.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// handler returns everything that a request passes.
func (s *Server) handler() http.Handler {
	all := http.NewServeMux()
	all.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { health(w, true) })
	all.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, _ *http.Request) { health(w, s.ready.Load()) })
	all.Handle("/", s.names.check(s.names.cors(checked(s.mux))))
	return withBodyTimeout(s.names.onlyBelow(all), s.config.BodyTimeout)
}

func health(w http.ResponseWriter, ok bool) {
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		http.Error(w, "ending", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n")) // the client may be gone
}

// checked marks requests whose Host was checked, for adapters that would check
// it again.
func checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(adapter.WithHostChecked(r.Context())))
	})
}
