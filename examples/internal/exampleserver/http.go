package exampleserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
)

const (
	// grace bounds how long open connections delay the end of the server; drain
	// then bounds the guard, which waits for handlers and its audit log.
	grace = 3 * time.Second
	drain = 12 * time.Second
)

// serveHTTP serves over HTTP until ctx is done. When it listens, it prints the
// address to stderr and calls listening.
func (s Server) serveHTTP(ctx context.Context, f flags, stderr io.Writer, listening func(), opts []guard.Option) (*guard.Guard, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.http)
	if err != nil {
		return nil, err
	}
	handler, g, err := s.webHandler(f, listener.Addr().String(), opts)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	fmt.Fprintf(stderr, "listening on http://%s/mcp\n", listener.Addr())
	listening()

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
	return g, errors.Join(err, g.Close(drained))
}
