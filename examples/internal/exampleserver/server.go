package exampleserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/signal"
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
	Tools   []*contract.Tool
}

// Main serves as the flags in args say and returns the process's exit code: 0
// at the end of stdin and on SIGTERM or SIGINT, 1 when it cannot serve, 2 for a
// wrong command line.
func (s Server) Main(args []string, stderr io.Writer) int {
	f, err := parseFlags(s.Name, args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case f.http != "":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		err = s.serveHTTP(ctx, f, stderr)
	default:
		err = s.serveStdio(f)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

func (s Server) serveStdio(f flags) error {
	permissions := Permissions(s.Tools)
	if f.permissions != nil {
		permissions = *f.permissions
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser(permissions...)))
	if err != nil {
		return err
	}
	return mcpgo.ServeStdio(s.Name, s.Version, g, mcpgo.Tools(s.Tools...), mcpgo.Tier(f.tier))
}

// Handler returns what serves the tools at /mcp over HTTP, to callers whom
// their bearer tokens name, and the guard, which the caller closes. Options of
// the guard's are added to the example's own.
func (s Server) Handler(tier mcpgo.ContractTier, opts ...guard.Option) (http.Handler, *guard.Guard, error) {
	opts = append([]guard.Option{guard.WithPrincipal(mcpgo.Bearer(Principal(s.Tools)))}, opts...)
	g, err := guard.New(opts...)
	if err != nil {
		return nil, nil, err
	}
	served, err := mcpgo.NewServer(s.Name, s.Version, g, mcpgo.Tools(s.Tools...), mcpgo.Tier(tier))
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpgo.LimitHandler(server.NewStreamableHTTPServer(served), 0))
	return mux, g, nil
}
