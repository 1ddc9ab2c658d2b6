package mcpgo

import (
	"context"
	"io"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/direct"
)

// ServeNewStreams serves over any streams as [ServeStdio] serves over those of
// the process.
func ServeNewStreams(ctx context.Context, name string, g *guard.Guard, in io.Reader, out io.Writer, opts ...Option) error {
	b, err := newServer(name, "1.0.0", g, opts)
	if err != nil {
		return err
	}
	b.keepPrivate()
	return b.serve(ctx, in, out)
}

// AnswerDirectly answers a tools/call beside the queue of mcp-go.
func AnswerDirectly(ctx context.Context, s *server.MCPServer, line []byte) []byte {
	return (&through{server: s, ctx: ctx}).answer(line)
}

// A DirectServer is a server of [ServeStdio] in a session of a test.
type DirectServer struct {
	*direct.Session

	through through
}

// NewDirectServer makes the server and opens the session.
func NewDirectServer(ctx context.Context, name string, g *guard.Guard, session server.ClientSession,
	opts ...Option) (*DirectServer, error) {
	b, err := newServer(name, "1.0.0", g, opts)
	if err != nil {
		return nil, err
	}
	b.keepPrivate()
	if err := b.server.RegisterSession(ctx, session); err != nil {
		return nil, err
	}
	s := &DirectServer{b.newDirect(), through{b.server, b.server.WithContext(ctx, session)}}
	_, complete := ask(s.through.ctx, b.server)
	s.Begin(complete)
	return s, nil
}

// Cancelled gets a notification.
func (s *DirectServer) Cancelled(line []byte) { s.Cancel(line) }

// Through answers a line by HandleMessage.
func (s *DirectServer) Through(line []byte) []byte { return s.through.answer(line) }

// Server returns the server.
func (s *DirectServer) Server() *server.MCPServer { return s.through.server }
