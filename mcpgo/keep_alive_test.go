package mcpgo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The stream of a quiet call has the headers of CORS, or a page could not read
// it. A handler that the author mounts behind KeepAlive works as HandlerOf does.
// Time is that of a bubble, so nothing waits.
func TestKeepAlive_KeepsTheHeadersOfCORS(t *testing.T) {
	t.Parallel()
	cors := server.WithStreamableHTTPCORS(server.WithCORSAllowedOrigins("https://example.com"))
	for name, serve := range map[string]func(s *server.MCPServer) (http.Handler, error){
		"HandlerOf": func(s *server.MCPServer) (http.Handler, error) { return mcpgo.HandlerOf(s, cors) },
		"a handler of mcp-go": func(s *server.MCPServer) (http.Handler, error) {
			return adapter.KeepAlive(server.NewStreamableHTTPServer(s, cors), 0), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := contract.New("notes.wait", func(context.Context, struct{}) (string, error) {
					time.Sleep(16 * time.Second)
					return "done", nil
				}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
				g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
				require.NoError(t, err)
				defer func() { assert.NoError(t, g.Close(t.Context())) }()
				s, err := mcpgo.NewServer("kit", "1.0.0", g, asWritten(mcpgo.WithTools(slow))...)
				require.NoError(t, err)
				h, err := serve(s)
				require.NoError(t, err)
				body := sdktest.Message(t, modern, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`)
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(string(body)))
				r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
					"Mcp-Protocol-Version": {string(modern)}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"notes.wait"},
					"Origin": {"https://example.com"}}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				assert.True(t, strings.HasPrefix(w.Body.String(), ": keep-alive\n\nevent: message\ndata: "), w.Body.String())
				assert.Equal(t, "https://example.com", w.Header().Get("Access-Control-Allow-Origin"))
			})
		})
	}
}
