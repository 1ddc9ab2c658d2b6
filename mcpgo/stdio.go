package mcpgo

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/direct"
	"github.com/toolcontract/toolcontract/mcpgo/internal/stdio"
)

// ServeStdio makes a server as [NewServer] does and serves it on standard input
// and output, until the input ends or the process gets SIGINT or SIGTERM. It
// then answers every request that it has read, waits for that at most as long
// as guard.Times.Drain allows, closes g (also the default guard of a nil g) and
// returns nil. A signal drops input that mcp-go had no room for yet. A second
// signal ends the process at once.
//
// A line of input can be as long as the largest arguments of the tools and 64
// KiB more. A longer line is cut off as it is read and answered as a JSON-RPC
// parse error. At most 16 MiB are read ahead of mcp-go, which takes about a
// hundred calls at a time. While more input waits, its end is noticed late.
//
// Most calls do not go through mcp-go's HandleMessage, which would take more
// than half of their time. The answers are the same. If [WithServerOptions] is
// given, or once a function has called server.ServerFromContext, all calls go
// through it, because the server may then have hooks or middleware.
//
// An error with [contract.DeclarationErrors] comes from NewServer, and
// nothing was served. Any other error means that the session could not be
// served, that requests were left unanswered, or that handlers or audit events
// were left behind.
//
// Standard output belongs to the protocol until the session ends. Whatever
// handlers and their child processes print there goes to standard error, after
// one line that says so. On Windows, this applies only to prints to os.Stdout.
// [WithSharedStdout] and a writer of [WithStreams] other than os.Stdout leave
// standard output alone.
//
// A process can serve stdio once at a time, because mcp-go has one stdio
// session.
func ServeStdio(name, version string, g *guard.Guard, opts ...Option) error {
	b, err := newServer(name, version, g, opts)
	if err != nil {
		return err
	}
	b.keepPrivate()
	return b.streams.Serve(func(ctx context.Context, in io.Reader, out io.Writer) error { return b.serve(ctx, in, out) })
}

// ServeStdioServer serves a server that exists already as [ServeStdio] does:
// one made by [NewServer], or given to [Register] or [WrapAll]. It has the same
// limits, answers every request that it has read, also of tools without a
// contract, and closes the guard of s at the end. The options are those of
// mcp-go's ServeStdio, which it replaces. Nil is an error, and so is a server
// without contracts; then nothing was served.
func ServeStdioServer(s *server.MCPServer, opts ...server.StdioOption) error {
	b := bindingOf(s)
	if b == nil {
		return errNoContracts()
	}
	if slices.ContainsFunc(opts, func(o server.StdioOption) bool { return o == nil }) {
		return errNilOption()
	}
	return b.streams.Serve(func(ctx context.Context, in io.Reader, out io.Writer) error { return b.serve(ctx, in, out, opts...) })
}

// ServeStreams serves a server as [ServeStdioServer] does, but over the given
// streams, such as a socket or the pipes of a test, and until in ends or ctx is
// done. It handles no signals. Like stdio, it can be used once at a time in a
// process, because mcp-go has one stdio session. A server without contracts is
// an error, and then nothing was served.
func ServeStreams(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	b := bindingOf(s)
	if b == nil {
		return errNoContracts()
	}
	return b.serve(ctx, in, out)
}

// keepPrivate makes a server private that was made without options for mcp-go
// and that no code of the server author has had access to yet.
func (b *binding) keepPrivate() {
	if b.bare {
		b.privacy.Begin()
	}
}

// serve runs one session until in ends or ctx is done.
func (b *binding) serve(ctx context.Context, in io.Reader, out io.Writer, opts ...server.StdioOption) error {
	transport := server.NewStdioServer(b.server)
	for _, o := range opts {
		o(transport)
	}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := stdio.Server{
		Listen:     func(_ context.Context, in io.Reader, out io.Writer) error { return transport.Listen(lasting, in, out) },
		BeginDrain: b.table().BeginDrain,
		Close:      b.table().Guard().Close,
		MaxLine:    b.table().MaxMessageBytes(),
	}
	if len(opts) == 0 && b.closed { // the contexts and the handlers are of this package
		s.Shortcuts = b.shortcuts(transport)
	}
	return stdio.Serve(ctx, s, in, out)
}

// shortcuts returns the two ways to answer calls outside the stdio server, but
// in its session: past mcp-go, and through it.
func (b *binding) shortcuts(transport *server.StdioServer) []stdio.Shortcut {
	session := b.newDirect()
	through := &through{server: b.server}
	transport.SetContextFunc(func(ctx context.Context) context.Context { // called before the first line
		through.ctx = ctx
		_, withServer := ask(ctx, b.server)
		session.Begin(withServer)
		return ctx
	})
	return []stdio.Shortcut{session, through}
}

// newDirect returns the way past mcp-go. It is closed once the server is no
// longer private.
func (b *binding) newDirect() *direct.Session {
	return direct.NewSession(direct.Server{
		Info:    b.identity,
		Privacy: &b.privacy,
		Entry: func(name string) *adapter.Entry {
			if e := b.table().entries[name]; e != nil {
				return e.Entry
			}
			return nil
		},
		Run: func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
			ctx = b.withCaller(ctx, http.Header{}) // as mcp-go has it without HTTP
			return b.run(ctx, b.server, e, r, mcp.MultiRoundTripParams{})
		},
	})
}
