package mcpgo

import (
	"context"
	"io"

	"github.com/mark3labs/mcp-go/server"
)

// ServeStreams serves a server of [NewServer] over any streams as [ServeStdio]
// serves it over those of the process.
func ServeStreams(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	b, _ := inspect(s)
	return b.serve(ctx, in, out)
}

// AnswerDirectly answers a tools/call beside the queue of mcp-go.
func AnswerDirectly(ctx context.Context, s *server.MCPServer, line []byte) []byte {
	b, _ := inspect(s)
	return b.answer(ctx, line)
}
