package client_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
)

// An older server gets the client's name in the handshake, a modern one with
// every request.
func TestClient_NamesItself(t *testing.T) {
	t.Parallel()
	for version, method := range map[string]string{"2025-11-25": "initialize", "2026-07-28": "tools/call"} {
		url, seen := namingClients(t)
		a := connect(t, client.New(clienttest.Speaking(version, client.HTTP{URL: url})), agent.Host{})
		_, err := a.Call(t.Context(), "echo", map[string]string{"text": "hello"})
		require.NoError(t, err)
		assert.Equal(t, mcp.Implementation{Name: "toolcontract", Version: "1"}, seen(method), version)
	}
}

// namingClients serves a server over HTTP. The function returns the client that
// the last request with a method named.
func namingClients(t *testing.T) (url string, seen func(method string) mcp.Implementation) {
	t.Helper()
	var mu sync.Mutex
	clients := map[string]mcp.Implementation{}
	next := server.NewStreamableHTTPServer(echoing())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			Method string
			Params struct {
				ClientInfo mcp.Implementation
				Meta       struct {
					ClientInfo mcp.Implementation `json:"io.modelcontextprotocol/clientInfo"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(body, &m) == nil {
			mu.Lock()
			clients[m.Method] = m.Params.ClientInfo
			if m.Params.ClientInfo.Name == "" {
				clients[m.Method] = m.Params.Meta.ClientInfo
			}
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/mcp", func(method string) mcp.Implementation {
		mu.Lock()
		defer mu.Unlock()
		return clients[method]
	}
}
