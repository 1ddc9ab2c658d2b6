package serve

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	// writeTime bounds how long the last answers are written before open
	// streams are ended, and connections without a request are closed.
	writeTime = 250 * time.Millisecond
	// streamTime bounds how long handlers take to end their streams. Then their
	// connections are cut.
	streamTime = 3 * time.Second
	// auditTime is added to the time of guard.Times.Drain for the audit queue.
	auditTime = 10 * time.Second
)

// Serve answers requests until ctx ends, or the process gets SIGINT or SIGTERM.
// It then ends as the package comment describes, closes g, and returns nil. A
// second signal ends the process at once. A signal that the program ignores
// stays ignored. Serve can be called once.
//
// The error joins everything that went wrong: wrong patterns of
// [Server.Handle], a guard that must not serve here, an address that stopped
// working, and what [guard.Guard.Close] returns. g is closed in every case.
func (s *Server) Serve(ctx context.Context, g *guard.Guard) error {
	if g == nil {
		return errors.Join(errors.New("serve: the guard is nil; make one with guard.New"), s.Close())
	}
	if err := errors.Join(append(s.mistakes, s.checkGuard(g))...); err != nil {
		return errors.Join(err, s.Close(), closeGuard(ctx, g))
	}
	ctx, stop := untilSignal(ctx)
	defer stop()

	// Standard error may be a broken pipe. Writing the last lines to it must
	// not end the process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	return s.run(ctx, stop, g)
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM that
// the program does not ignore.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	heeded := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM}, signal.Ignored)
	if len(heeded) == 0 { // NotifyContext would take none for all
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, heeded...)
}

// checkGuard refuses a guard that cannot identify callers from elsewhere.
func (s *Server) checkGuard(g *guard.Guard) error {
	local := isLoopback(s.listener.Addr()) && (s.names.public == nil || origin.IsLoopback(s.names.public.Hostname()))
	if local || g.IdentifiesCallers() {
		return nil
	}
	return errors.New("serve: the guard has no principal function, so every caller from elsewhere would be anonymous; " +
		"pass guard.WithPrincipal, for example with mcpgo.Bearer, or a function that returns the zero Principal for a public server")
}

// run serves until ctx ends, calls stop, and ends everything in order.
func (s *Server) run(ctx context.Context, stop context.CancelFunc, g *guard.Guard) error {
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	unused := connectionSet{open: map[net.Conn]struct{}{}}
	// No ReadTimeout and no WriteTimeout: they would end event streams and slow
	// calls.
	web := &http.Server{
		Handler: s.handler(), TLSConfig: s.config.TLS, BaseContext: func(net.Listener) context.Context { return streams },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ConnState: unused.track,
	}
	served := make(chan error, 1)
	s.ready.Store(true)
	if s.config.Started != nil {
		s.config.Started(s.Origin())
	}
	go func() { served <- s.accept(web) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		stop() // the next signal ends the process
		s.ready.Store(false)
		err = wait(served, s.config.DrainDelay)
	}
	closed := make(chan struct{})
	ending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	go func() {
		defer close(closed)
		_ = web.Shutdown(ending) // what is left is cut below
	}()
	err = errors.Join(err, closeGuard(ctx, g))
	if !within(closed, writeTime) {
		endStreams()
		unused.close()
		within(closed, streamTime)
	}
	return errors.Join(err, web.Close())
}

// A connectionSet holds the connections on which no request has begun. Shutdown
// waits for them, because a request may be on its way.
type connectionSet struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// track is for the field ConnState of [http.Server].
func (s *connectionSet) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.open[c] = struct{}{}
	} else {
		delete(s.open, c)
	}
}

func (s *connectionSet) close() {
	s.mu.Lock()
	unused := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, c := range unused {
		_ = c.Close() // the client may be gone
	}
}

func (s *Server) accept(web *http.Server) error {
	if s.config.TLS != nil {
		return web.ServeTLS(s.listener, "", "")
	}
	return web.Serve(s.listener)
}

// wait returns the error of a server that stops within d.
func wait(served <-chan error, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case err := <-served:
		return err
	case <-time.After(d):
		return nil
	}
}

// within reports whether done is closed within d.
func within(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// closeGuard closes a guard. Its own drain time bounds the running calls.
func closeGuard(ctx context.Context, g *guard.Guard) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.Drain()+auditTime)
	defer cancel()
	return g.Close(ctx)
}
