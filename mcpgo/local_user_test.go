package mcpgo_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/user"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// within returns the context of a call in a session.
func within(session server.ClientSession) context.Context {
	return server.NewMCPServer("any", "1").WithContext(context.Background(), session)
}

func TestLocalUser_RefusesOtherSessions(t *testing.T) {
	t.Parallel()
	for name, ctx := range map[string]context.Context{
		"without a session":                     context.Background(),
		"in a session named like that of stdio": within(&session{id: "stdio"}),
		"in any other session":                  within(&session{id: "inprocess-1"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := mcpgo.LocalUser("a:b").Principal(ctx)
			require.Error(t, err)
			assert.Zero(t, p)
		})
	}
}

func TestLocalUser_IsTheUserThatRunsTheProcess(t *testing.T) {
	t.Parallel()
	permissions := []string{"a:b", "c:d"}
	find := mcpgo.LocalUser(permissions...)
	permissions[0] = "changed"
	ctx := within(server.NewInProcessSession("any", nil))
	p, err := find.Principal(ctx)
	require.NoError(t, err)
	assert.Equal(t, contract.LocalIssuer, p.Issuer)
	assert.Equal(t, []string{"a:b", "c:d"}, p.Permissions)
	assert.False(t, p.Human, "a client is an agent")
	if u, err := user.Current(); err == nil {
		assert.Equal(t, u.Username, p.Subject)
	}
	p.Permissions[0] = "changed"
	again, err := find.Principal(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"a:b", "c:d"}, again.Permissions)

	p, err = mcpgo.LocalUser().Principal(ctx)
	require.NoError(t, err)
	assert.Empty(t, p.Permissions)
	assert.False(t, p.IsAnonymous())
}

// Over HTTP, every caller would be the local user.
func TestLocalUser_ServesNoHTTPCallers(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithAudit(k.log))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("s", "1.0.0", g, asWritten(mcpgo.WithTools(n.Note(nil).MustBuild()))...)
	require.NoError(t, err)
	k.serveHTTP()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		sdktest.AssertRefused(t, k.call(e, "", "notes.write", `{"text":"x"}`), "unauthenticated")
		assert.Empty(t, listedNames(t, k.client(e, "")))

		inside := k.inProcess(e)
		assert.Equal(t, []string{"notes.write"}, listedNames(t, inside))
		result, err := callTool(t.Context(), inside, "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.False(t, result.IsError)
	})
	k.post(legacy, "", "tools/call", "", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`))
	require.NoError(t, g.Close(t.Context()))
	for _, event := range k.log.Events() {
		if event.Code == codeUnparsable || event.Code == contract.CodeUnauthenticated {
			assert.Empty(t, event.Principal, event.Code)
		}
	}
}

// localServer returns a server with a tool that only the local user can call.
func localServer(t *testing.T) *server.MCPServer {
	t.Helper()
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	s, err := mcpgo.NewServer("s", "1.0.0", g, asWritten(mcpgo.WithTools((&tools{}).Note(nil).MustBuild()))...)
	require.NoError(t, err)
	return s
}

// A client that writes its own HTTP can send a request whose header is empty in
// a handler, because Host and Transfer-Encoding are not part of it.
func TestLocalUser_ServesNoCallersOverSSE(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(server.NewSSEServer(localServer(t)))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/sse", nil)
	require.NoError(t, err)
	stream, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer stream.Body.Close()
	events := bufio.NewScanner(stream.Body)
	next := func() string {
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return strings.TrimSpace(data)
			}
		}
		require.Fail(t, "the stream ended")
		return ""
	}
	endpoint := next()

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", web.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	body := sdktest.Call(1, "notes.write", `{"text":"x"}`)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
		strings.TrimPrefix(endpoint, web.URL), len(body), body)
	require.NoError(t, err)
	accepted, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer accepted.Body.Close()
	reason, err := io.ReadAll(accepted.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, accepted.StatusCode, "%s", reason)
	sdktest.AssertRefused(t, next(), contract.CodeUnauthenticated)
}

func TestLocalUser_ServesMCPGosOwnStdio(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	in, send := io.Pipe()
	receive, out := io.Pipe()
	listened := make(chan error, 1)
	s := localServer(t)
	go func() { listened <- server.NewStdioServer(s).Listen(context.Background(), in, out) }()
	_, err := io.WriteString(send, sdktest.Call(1, "notes.write", `{"text":"x"}`)+"\n")
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, nextAnswer(t, bufio.NewReader(receive))).Status)
	require.NoError(t, send.Close())
	require.NoError(t, <-listened)
}
