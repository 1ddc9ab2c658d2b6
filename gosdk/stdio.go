package gosdk

import (
	"context"
	"crypto/rand"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/gosdk/internal/stdio"
	"github.com/toolcontract/toolcontract/guard"
)

// ServeStdio makes a server as [NewServer] does and serves it on standard input
// and output, until the input ends or the process gets SIGINT or SIGTERM. It
// then answers every request it has read, for at most guard.Times.Drain, closes
// g (or the default guard if g is nil) and returns nil. After a signal,
// requests that have not started get an error. A second signal ends the process
// at once.
//
// An input line can be 64 KiB longer than the tools' largest arguments. A
// longer line, or one that is not JSON, is answered with a JSON-RPC parse
// error, and the session goes on. At most 128 requests run at once, and at most
// 16 MiB are read ahead.
//
// An error with [contract.DeclarationErrors] comes from NewServer, and nothing
// was served. Any other error means that the session could not be served, that
// requests were left unanswered, or that handlers or audit events did not
// finish in time.
//
// Standard output belongs to the protocol until the session ends. Whatever
// handlers and their child processes print there goes to standard error, after
// one line that says so. On Windows, this applies only to prints to os.Stdout.
// [WithSharedStdout] and a writer of [WithStreams] other than os.Stdout leave
// standard output alone.
func ServeStdio(name, version string, g *guard.Guard, opts ...Option) error {
	s, err := NewServer(name, version, g, opts...)
	if err != nil {
		return err
	}
	return ServeStdioServer(s)
}

// ServeStdioServer serves an existing server as [ServeStdio] does: one made by
// [NewServer], or passed to [Register] or [WrapAll]. It replaces Server.Run
// with a mcp.StdioTransport. It has the same limits, answers every request it
// has read, including those to tools without a contract, and closes the guard
// of s at the end. A server without contracts is an error, and then nothing is
// served.
func ServeStdioServer(s *mcp.Server) error {
	b, err := settled(s, "serve.server")
	if err != nil {
		return err
	}
	return b.streams.Serve(b.serve)
}

// ServeStreams serves a server as [ServeStdioServer] does, but over the given
// streams, such as a socket or the pipes of a test, and until in ends or ctx is
// done. It handles no signals. A server without contracts is an error, and then
// nothing is served.
func ServeStreams(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	b, err := settled(s, "serve.server")
	if err != nil {
		return err
	}
	return b.serve(ctx, in, out)
}

// serve runs one session until in ends or ctx is done.
func (b *binding) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	table := b.table()
	c := stdio.New(localSessions+rand.Text(), in, out, table.MaxMessageBytes(), b.checkReadable)
	return stdio.Serve(ctx, stdio.Server{
		Listen: func(ctx context.Context, c *stdio.Connection) error {
			session, err := b.server.Connect(ctx, c, nil)
			if err != nil {
				return err
			}
			return session.Wait()
		},
		BeginDrain: table.BeginDrain,
		Close:      table.Guard().Close,
	}, c)
}

// checkReadable refuses a tools/call whose parameters cannot be read. The SDK's
// answer would repeat them in full (mcp/shared.go:349).
func (b *binding) checkReadable(req *jsonrpc.Request) *jsonrpc.Error {
	if !isUnreadable(req) {
		return nil
	}
	b.table().Unparsable(adapter.WithCaller(context.Background(), adapter.Caller{Local: true}))
	return errUnreadable
}
