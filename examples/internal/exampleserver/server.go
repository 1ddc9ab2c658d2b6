package exampleserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// A Server is one server example. Name, Version and Tools are required.
type Server struct {
	Name    string
	Version string
	// Approval adds the flag -approval.
	Approval bool
	// Flags adds flags of the example. Nil adds none.
	Flags func(*flag.FlagSet)
	// Tools returns the tools. It runs after the flags were read.
	Tools func() ([]*contract.Tool, error)
	// OpenBackend opens the resource behind the guard of a server that Main
	// starts. It runs after the flags were read. Nil means no such resource.
	OpenBackend func() (Backend, error)
	// Web replaces Handler for examples with an authentication of their own. It
	// returns the HTTP handler and the guard. The host is the address that the
	// server listens on, such as 127.0.0.1:8080. Nil means Handler.
	Web func(host string, options []mcpgo.Option, opts []guard.Option) (http.Handler, *guard.Guard, error)
}

// Main runs the example with the given command line: it serves, or checks an
// audit log. It returns the exit code of the process: 0 when stdin ends and on
// SIGTERM or SIGINT, 1 if it cannot serve or the log is broken, and 2 for a
// wrong command line.
func (s Server) Main(args []string, stdout, stderr io.Writer) int {
	// If the client is gone, stderr may be a broken pipe. Writing the last
	// lines to it must not end the process by SIGPIPE.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	f, err := s.parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case f.verifyAudit != "":
		err = verifyLog(f.verifyAudit, f.head, stdout)
	default:
		err = withAuditLog(f.audit, stderr, func(opts ...guard.Option) (*guard.Guard, error) { return s.serve(f, stderr, opts) })
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

// serve serves until the end and returns the closed guard, or nil if it could
// not make one.
func (s Server) serve(f flags, stderr io.Writer, opts []guard.Option) (*guard.Guard, error) {
	return s.withBackend(func(b Backend) (*guard.Guard, error) {
		opts = append(opts, b.Options...)
		if f.http == "" {
			b.warn(s.Name, stderr)
			return s.serveStdio(f, stderr, opts)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		// The address stays the first line, because scripts wait for it.
		return s.serveHTTP(ctx, f, stderr, func() { b.warn(s.Name, stderr) }, opts)
	})
}

func (s Server) serveStdio(f flags, stderr io.Writer, opts []guard.Option) (_ *guard.Guard, err error) {
	tools, err := s.Tools()
	if err != nil {
		return nil, err
	}
	permissions := Permissions(tools)
	if f.permissions != nil {
		permissions = *f.permissions
	}
	if f.approval {
		page, listenErr := listenForApproval(stderr)
		if listenErr != nil {
			return nil, listenErr
		}
		defer func() { err = errors.Join(err, closePage(page)) }()
		opts = append(opts, guard.WithApprover(page))
	}
	g, err := guard.New(append(opts, guard.WithPrincipal(mcpgo.LocalUser(permissions...)))...)
	if err != nil {
		return nil, err
	}
	return g, mcpgo.ServeStdio(s.Name, s.Version, g, append(f.options(), mcpgo.WithTools(tools...))...)
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
