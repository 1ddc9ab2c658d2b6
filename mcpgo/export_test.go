package mcpgo

import (
	"context"
	"io"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/guard"
)

// ServeNewStreams serves over any streams as [ServeStdio] serves over those of
// the process.
func ServeNewStreams(ctx context.Context, name string, g *guard.Guard, in io.Reader, out io.Writer, opts ...Option) error {
	b, err := newServer(name, "1.0.0", g, opts)
	if err != nil {
		return err
	}
	b.private.Store(b.bare)
	return b.serve(ctx, in, out)
}

// AnswerDirectly answers a tools/call beside the queue of mcp-go.
func AnswerDirectly(ctx context.Context, s *server.MCPServer, line []byte) []byte {
	b, _ := inspect(s)
	return b.answer(ctx, line)
}

// A DirectServer is a server of [ServeStdio] in a session of a test.
type DirectServer struct {
	direct  *direct
	session context.Context
}

// NewDirectServer makes the server and opens the session.
func NewDirectServer(ctx context.Context, name string, g *guard.Guard, session server.ClientSession,
	opts ...Option) (*DirectServer, error) {
	b, err := newServer(name, "1.0.0", g, opts)
	if err != nil {
		return nil, err
	}
	b.private.Store(b.bare)
	if err := b.server.RegisterSession(ctx, session); err != nil {
		return nil, err
	}
	s := &DirectServer{direct: &direct{binding: b}, session: b.server.WithContext(ctx, session)}
	s.direct.begin(s.session)
	return s, nil
}

// Take returns the function that answers a line past mcp-go, or nil.
func (s *DirectServer) Take(line []byte) func() []byte { return s.direct.take(line) }

// Cancelled gets a notification.
func (s *DirectServer) Cancelled(line []byte) { s.direct.cancelled(line) }

// Through answers a line by HandleMessage.
func (s *DirectServer) Through(line []byte) []byte { return s.direct.binding.answer(s.session, line) }

// Server returns the server.
func (s *DirectServer) Server() *server.MCPServer { return s.direct.binding.server }
