package gosdk

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStreams serves a server as ServeStdioServer does, on other streams.
func ServeStreams(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	return bindingOf(s).serve(ctx, in, out)
}
