package exampleserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/approval"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

const (
	// grace bounds how long open connections delay the end of the server; drain
	// then bounds the guard, which waits for handlers and its audit log.
	grace = 3 * time.Second
	drain = 12 * time.Second
)

// serveHTTP serves over HTTP until SIGTERM or SIGINT. When it listens, it
// prints the address to stderr, as the first line, because scripts wait for it.
func (s Server) serveHTTP(f flags, stderr io.Writer, b Backend, opts []guard.Option) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.http)
	if err != nil {
		return err
	}
	handler, g, err := s.webHandler(f, listener.Addr().String(), opts)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(stderr, "listening on http://%s/mcp\n", listener.Addr())
	b.warn(s.Name, stderr)

	// No ReadTimeout and no WriteTimeout: they would end event streams and slow
	// calls.
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if web.Shutdown(end) != nil {
		// A client with an open stream must not keep the server up.
		err = errors.Join(err, web.Close())
	}
	drained, cancelDrain := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancelDrain()
	return errors.Join(err, g.Close(drained))
}

// Handler returns a handler that serves the tools at /mcp, and its guard. The
// bearer token names the caller: see [Principal]. The options for the server
// and for the guard are added to those of the example. The caller must close
// the guard.
func (s Server) Handler(options []mcpgo.Option, opts ...guard.Option) (http.Handler, *guard.Guard, error) {
	tools, err := s.Tools()
	if err != nil {
		return nil, nil, err
	}
	opts = append([]guard.Option{guard.WithPrincipal(mcpgo.Bearer(Principal(tools)))}, opts...)
	g, err := guard.New(opts...)
	if err != nil {
		return nil, nil, err
	}
	served, err := mcpgo.NewServer(s.Name, s.Version, g, append(slices.Clip(options), mcpgo.WithTools(tools...))...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpgo.LimitHandler(server.NewStreamableHTTPServer(served), 0))
	return mux, g, nil
}

// webHandler returns the HTTP handler of the example: its own, or that of
// Handler. With -approval the approval page is beside the tools.
func (s Server) webHandler(f flags, host string, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	if s.Web != nil {
		return s.Web(host, f.options(), opts)
	}
	if !f.approval {
		return s.Handler(f.options(), opts...)
	}
	tools, err := s.Tools()
	if err != nil {
		return nil, nil, err
	}
	people := people{Principal(tools)}
	page, err := approval.New(people.authenticate, approval.WithAddress("http://"+host+approval.DefaultPath), approval.WithSignIn(signInPath))
	if err != nil {
		return nil, nil, err
	}
	handler, g, err := s.Handler(f.options(), append(opts, guard.WithApprover(page))...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.Handle(approval.DefaultPath, page)
	mux.Handle(approval.DefaultPath+"/", page)
	mux.Handle(signInPath, people.signIn(page))
	return mux, g, nil
}
