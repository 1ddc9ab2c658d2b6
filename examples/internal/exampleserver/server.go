package exampleserver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"

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
	// returns the HTTP handler and the guard. The origin is that of the server,
	// such as http://127.0.0.1:8080. Nil means Handler.
	Web func(origin string, options []mcpgo.Option, opts []guard.Option) (http.Handler, *guard.Guard, error)
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
		err = s.serve(f, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

// serve serves until the end of stdin or a signal. The audit log outlives the
// backend, and both outlive the guard.
func (s Server) serve(f flags, stderr io.Writer) error {
	log, err := openLog(f.audit)
	if err != nil {
		return err
	}
	var opts []guard.Option
	if log != nil {
		opts = append(opts, guard.WithAudit(log))
	}
	err = s.serveBackend(f, stderr, opts)
	return errors.Join(err, closeLog(log, stderr))
}

// serveBackend opens the backend, serves, and closes the backend.
func (s Server) serveBackend(f flags, stderr io.Writer, opts []guard.Option) error {
	b, err := s.backend()
	if err != nil {
		return err
	}
	opts = append(opts, b.Options...)
	transport := s.serveHTTP
	if f.http == "" {
		transport = s.serveStdio
	}
	return errors.Join(transport(f, stderr, b, opts), b.close())
}
