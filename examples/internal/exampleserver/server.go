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

// A Server is one example: its name and version, and the tools it serves.
type Server struct {
	Name    string
	Version string
	// Approval adds the flag -approval.
	Approval bool
	// Flags adds flags of the example's own; nil adds none.
	Flags func(*flag.FlagSet)
	// Tools makes the tools, after the flags were read.
	Tools func() ([]*contract.Tool, error)
	// Back opens what is behind the guard of a server that Main starts, after the
	// flags were read; nil: nothing is.
	Back func() (Backing, error)
	// Web makes what serves over HTTP, and the guard, in the place of Handler,
	// whose callers are the example's own people; host is where it listens, such
	// as 127.0.0.1:8080. Nil: Handler does.
	Web func(host string, options []mcpgo.Option, opts []guard.Option) (http.Handler, *guard.Guard, error)
}

// Main serves, or checks an audit log, as the flags in args say, and returns
// the process's exit code: 0 at the end of stdin and on SIGTERM or SIGINT, 1
// when it cannot serve and for a broken log, 2 for a wrong command line.
func (s Server) Main(args []string, stdout, stderr io.Writer) int {
	// A client that is gone takes stderr with it. The end is written there all
	// the same, and is not to become one by a signal.
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
		err = keepLog(f.audit, stderr, func(opts ...guard.Option) (*guard.Guard, error) { return s.serve(f, stderr, opts) })
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

// serve returns the guard, which is closed, unless none came to be.
func (s Server) serve(f flags, stderr io.Writer, opts []guard.Option) (*guard.Guard, error) {
	return s.backed(func(b Backing) (*guard.Guard, error) {
		opts = append(opts, b.Options...)
		if f.http == "" {
			b.warn(s.Name, stderr)
			return s.serveStdio(f, stderr, opts)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		// The line with the address stays the first, for who waits for it.
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
	return g, mcpgo.ServeStdio(s.Name, s.Version, g, append(f.options(), mcpgo.Tools(tools...))...)
}

// Handler returns what serves the tools at /mcp over HTTP, to callers whom
// their bearer tokens name, and the guard, which the caller closes. The
// options, for the server and for the guard, are added to the example's own.
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
	served, err := mcpgo.NewServer(s.Name, s.Version, g, append(slices.Clip(options), mcpgo.Tools(tools...))...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpgo.LimitHandler(server.NewStreamableHTTPServer(served), 0))
	return mux, g, nil
}
