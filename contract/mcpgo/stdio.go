package mcpgo

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo/internal/stdio"
)

// ServeStdio makes a server as [NewServer] does and serves it on standard input
// and output, until the input ends or the process gets SIGINT or SIGTERM. It
// then answers every request that it has read, waits for that at most as long
// as guard.WithDrain allows, closes g (also the default guard of a nil g) and
// returns nil. A signal drops input that mcp-go had no room for yet. A second
// signal ends the process at once.
//
// A line of input can be as long as the largest arguments of the tools and 64
// KiB more. A longer line is cut off as it is read and answered as a JSON-RPC
// parse error. At most 16 MiB are read ahead of mcp-go, which takes about a
// hundred calls at a time. While more input waits, its end is seen late.
//
// An error that matches [contract.ErrDeclaration] comes from NewServer, and
// nothing was served. Any other error means that the session could not be
// served, that requests were left unanswered, or that handlers or audit events
// were left behind.
//
// Standard output belongs to the protocol. Print to standard error, as the
// default audit sink does. A process can serve stdio once at a time, because
// mcp-go has one stdio session.
func ServeStdio(name, version string, g *guard.Guard, opts ...Option) error {
	b, err := newServer(name, version, g, opts)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	// Writes fail when the client is gone. Without this the first of them would
	// end the process, with handlers and audit events under way.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	return b.serve(ctx, os.Stdin, os.Stdout)
}

// serve runs one session until in ends or ctx is done.
func (b *binding) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return stdio.Serve(ctx, stdio.Server{
		Listen:     server.NewStdioServer(b.server).Listen,
		BeginDrain: b.now().set.Adapter().BeginDrain,
		Close:      b.guard.Close,
		MaxLine:    maxMessage(b.now().set.Tools()),
	}, in, out)
}
