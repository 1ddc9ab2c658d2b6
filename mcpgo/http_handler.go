package mcpgo

import (
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo/internal/endpoint"
)

// NewHandler makes a server as [NewServer] does and returns its MCP endpoint
// over streamable HTTP. Mount it at one path, such as /mcp. A body can be as
// long as the largest arguments of opts' tools and 64 KiB more; a longer one is
// refused as [adapter.LimitHandler] describes. Package serve runs it:
//
//	h, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//	web.Handle("/mcp", h)
//
// Sessions that clients leave open end, as [adapter.Sessions] describes. Proxies
// don't end quiet calls, as [adapter.KeepAlive] describes.
//
// Behind another HTTP server, mcp-go refuses a request that arrives at a
// loopback address under another name. Package serve makes that check itself.
// For options of mcp-go's transport, pass a server of [NewServer] to
// [HandlerOf]. Callers close g when the server has ended.
func NewHandler(name, version string, g *guard.Guard, opts ...Option) (http.Handler, error) {
	b, err := newServer(name, version, g, opts)
	if err != nil {
		return nil, err
	}
	return b.handler(nil), nil
}

// HandlerOf returns the endpoint over streamable HTTP of a server that exists
// already, as [NewHandler] does: one made by [NewServer], or given to
// [Register] or [WrapAll]. The limit of a body is that of the tools at this
// moment. The options are those of mcp-go's NewStreamableHTTPServer, which it
// replaces. Nil is an error, and so is a server without contracts.
func HandlerOf(s *server.MCPServer, opts ...server.StreamableHTTPOption) (http.Handler, error) {
	b := bindingOf(s)
	if b == nil {
		return nil, errNoContracts()
	}
	if slices.ContainsFunc(opts, func(o server.StreamableHTTPOption) bool { return o == nil }) {
		return nil, errNilOption()
	}
	return b.handler(opts), nil
}

// handler returns the endpoint over streamable HTTP.
func (b *binding) handler(opts []server.StreamableHTTPOption) http.Handler {
	return adapter.LimitHandler(endpoint.New(b.server, b.timeout, opts), int64(b.table().MaxMessageBytes()))
}
