package mcpgo

import (
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/gatewaykeys"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/serve"
)

// NewHandler makes a server as [NewServer] does and returns its MCP endpoint
// over streamable HTTP. Mount it at one path, such as /mcp. A body can be as
// long as the largest arguments of opts' tools and 64 KiB more; a longer one is
// refused as [LimitHandler] describes. Package serve runs it:
//
//	h, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//	web.Handle("/mcp", h)
//
// Behind another HTTP server, mcp-go refuses a request that arrives at a
// loopback address under another name. A [serve.Server] has made that check.
// [WithHTTPOptions] passes options to mcp-go's transport. Callers close g when
// the server has ended.
func NewHandler(name, version string, g *guard.Guard, opts ...Option) (http.Handler, error) {
	b, err := newServer(name, version, g, opts)
	if err != nil {
		return nil, err
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	h := server.NewStreamableHTTPServer(b.server, c.http...)
	limited := LimitHandler(afterHostCheck(h), int64(b.now().MaxMessageBytes()))
	if b.now().HasGatewayKeys() {
		return gatewaykeys.Handler(limited, b.gatewayKeys), nil
	}
	return limited, nil
}

// gatewayKeys returns the keys of a tool at this moment.
func (b *binding) gatewayKeys(tool string) (gatewaykeys.Keys, bool) { return b.now().GatewayKeys(tool) }

// afterHostCheck keeps mcp-go from refusing the public name of a server that a
// proxy on the same machine forwards to. mcp-go would allow only names of the
// loopback interface there.
func afterHostCheck(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if serve.HostChecked(r.Context()) {
			r = r.WithContext(r.Context())
			r.Host = "localhost"
		}
		next.ServeHTTP(w, r)
	})
}
