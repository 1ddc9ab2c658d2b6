package exampleserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/contract/serve"
)

// serveHTTP serves over HTTP until SIGTERM or SIGINT. When it listens, it
// prints the address to stderr, as the first line, because scripts wait for it.
func (s Server) serveHTTP(f flags, stderr io.Writer, b Backend, opts []guard.Option) error {
	web, err := serve.Listen(f.http, serve.WithStarted(func(origin string) {
		fmt.Fprintf(stderr, "listening on %s/mcp\n", origin)
		b.warn(s.Name, stderr)
	}))
	if err != nil {
		return err
	}
	handler, g, err := s.webHandler(f, web.Origin(), opts)
	if err != nil {
		return errors.Join(err, web.Close())
	}
	web.Handle("/", handler)
	return web.Serve(context.Background(), g)
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
	served, err := mcpgo.NewHandler(s.Name, s.Version, g, append(slices.Clip(options), mcpgo.WithTools(tools...))...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", served)
	return mux, g, nil
}

// webHandler returns the HTTP handler of the example: its own, or that of
// Handler. With -approval the approval page is beside the tools.
func (s Server) webHandler(f flags, origin string, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	if s.Web != nil {
		return s.Web(origin, f.options(), opts)
	}
	if !f.approval {
		return s.Handler(f.options(), opts...)
	}
	mux := http.NewServeMux()
	page, err := s.handlePages(mux, origin)
	if err != nil {
		return nil, nil, err
	}
	handler, g, err := s.Handler(f.options(), append(opts, guard.WithApprover(page))...)
	if err != nil {
		return nil, nil, err
	}
	mux.Handle("/", handler)
	return mux, g, nil
}
