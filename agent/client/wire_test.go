package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
)

// serveStdio makes this test binary a server over stdio: "mcp-go", or a line of
// a script for [hostile].
const serveStdio = "TOOLCONTRACT_TEST_UPSTREAM"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveProcess); kind != "" {
		beProcess(kind)
		os.Exit(0)
	}
	switch mode := os.Getenv(serveStdio); mode {
	case "":
		os.Exit(m.Run())
	case "mcp-go":
		if err := server.ServeStdio(newServer()); err != nil && !errors.Is(err, context.Canceled) {
			os.Exit(1)
		}
	case "echo":
		if err := server.ServeStdio(echoing()); err != nil && !errors.Is(err, context.Canceled) {
			os.Exit(1)
		}
	case "environment":
		s := server.NewMCPServer("environment", "1")
		s.AddTool(mcp.NewTool("get-env"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultJSON(map[string]any{"env": os.Environ()})
		})
		if err := server.ServeStdio(s); err != nil && !errors.Is(err, context.Canceled) {
			os.Exit(1)
		}
	case "endless":
		clienttest.Serve(os.Stdin, os.Stdout)
	default:
		hostile(mode)
	}
	os.Exit(0)
}

// newServer returns a server of mcp-go with seven tools in pages of three.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("tester", "1.0.0", server.WithToolCapabilities(true), server.WithPaginationLimit(3))
	for i := range 5 {
		s.AddTool(mcp.NewTool(fmt.Sprintf("tool_%d", i)), echo)
	}
	s.AddTool(mcp.NewTool("grow"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("grown"), echo)
		return mcp.NewToolResultText("grown"), nil
	})
	s.AddTool(mcp.NewTool("die"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	return s
}

func echo(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(r.Params.Arguments)
	return mcp.NewToolResultText(string(raw)), err
}

// stdio returns a transport to this binary.
func stdio(mode string) client.Command {
	return client.Command{Path: os.Args[0], Args: []string{"-test.run=^$"}, Env: append(os.Environ(), serveStdio+"="+mode)}
}

// onEveryWire runs a test over stdio and HTTP, in both versions of the
// protocol.
func onEveryWire(t *testing.T, test func(t *testing.T, transport client.Transport, version string)) {
	t.Helper()
	for name, dial := range map[string]func(*testing.T) client.Transport{
		"stdio": func(*testing.T) client.Transport { return stdio("mcp-go") },
		"http": func(t *testing.T) client.Transport {
			web := httptest.NewServer(server.NewStreamableHTTPServer(newServer()))
			t.Cleanup(web.Close)
			return client.HTTP{URL: web.URL + "/mcp"}
		},
	} {
		t.Run(name+" 2026-07-28", func(t *testing.T) {
			t.Parallel()
			test(t, dial(t), "2026-07-28")
		})
		t.Run(name+" 2025-11-25", func(t *testing.T) {
			t.Parallel()
			test(t, clienttest.Speaking(clienttest.Older, dial(t)), clienttest.Older)
		})
	}
}

func newClient(t *testing.T, transport client.Transport, opts ...client.Option) *client.Client {
	t.Helper()
	c := client.New(transport, opts...)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

func names(t *testing.T, l client.Listing) []string {
	t.Helper()
	var all []string
	for _, raw := range l.Tools {
		var tool struct{ Name string }
		require.NoError(t, json.Unmarshal(raw, &tool))
		all = append(all, tool.Name)
	}
	return all
}

func TestClient_ListsAllPagesOnEveryWire(t *testing.T) {
	t.Parallel()
	onEveryWire(t, func(t *testing.T, transport client.Transport, version string) {
		c := newClient(t, transport)
		l, err := c.ListTools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"die", "grow", "tool_0", "tool_1", "tool_2", "tool_3", "tool_4"}, names(t, l))
		assert.Equal(t, version, l.Version)
	})
}

func TestClient_CallsOnEveryWire(t *testing.T) {
	t.Parallel()
	onEveryWire(t, func(t *testing.T, transport client.Transport, _ string) {
		c := newClient(t, transport)
		r, err := c.Call(t.Context(), client.CallParams{Name: "tool_1", Arguments: json.RawMessage(`{"a":9007199254740993}`)})
		require.NoError(t, err)
		assert.Contains(t, string(r), `\"a\":`)

		_, err = c.Call(t.Context(), client.CallParams{Name: "unknown"})
		var refused *client.ServerError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, -32602, refused.Code)
		assert.NotErrorIs(t, err, client.ErrUnsent)
	})
}

func TestClient_LearnsThatTheListChangedOnEveryWire(t *testing.T) {
	t.Parallel()
	onEveryWire(t, func(t *testing.T, transport client.Transport, _ string) {
		c := newClient(t, transport)
		_, err := c.ListTools(t.Context())
		require.NoError(t, err)
		// The stream of notifications may not be open yet.
		deadline := time.After(time.Minute)
		for {
			_, err = c.Call(t.Context(), client.CallParams{Name: "grow", Arguments: json.RawMessage(`{}`)})
			require.NoError(t, err)
			select {
			case <-c.Changed():
				l, err := c.ListTools(t.Context())
				require.NoError(t, err)
				assert.Contains(t, names(t, l), "grown")
				return
			case <-time.After(100 * time.Millisecond):
			case <-deadline:
				require.Fail(t, "no change was reported")
			}
		}
	})
}

func TestClient_ConnectsAgainWhenTheServerDied(t *testing.T) {
	t.Parallel()
	for name, transport := range map[string]client.Transport{"2026-07-28": stdio("mcp-go"),
		"2025-11-25": clienttest.Speaking(clienttest.Older, stdio("mcp-go"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, transport)
			for range 3 {
				l, err := c.ListTools(t.Context())
				require.NoError(t, err)
				assert.Len(t, l.Tools, 7)
				_, err = c.Call(t.Context(), client.CallParams{Name: "die"})
				status, _ := errors.AsType[*exec.ExitError](err)
				require.NotNil(t, status, err)
				assert.Equal(t, 3, status.ExitCode())
				assert.NotErrorIs(t, err, client.ErrUnsent, "the call has reached the server")
			}
			_, err := c.ListTools(t.Context())
			require.NoError(t, err)
			<-c.Changed()
		})
	}
}

func TestClient_AServerThatIsNotThereIsUnavailable(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(nil)
	web.Close()
	for name, transport := range map[string]client.Transport{
		"http":     client.HTTP{URL: web.URL},
		"no URL":   client.HTTP{URL: "127.0.0.1:80"},
		"command":  client.Command{Path: "/does/not/exist"},
		"it exits": stdio("exit"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, transport)
			for range 2 { // at once again, too
				_, err := c.Call(t.Context(), client.CallParams{Name: "a"})
				assert.ErrorIs(t, err, client.ErrUnsent)
				_, err = c.ListTools(t.Context())
				assert.Error(t, err)
			}
		})
	}
}

func TestClient_IsClosedForGood(t *testing.T) {
	t.Parallel()
	c := client.New(stdio("mcp-go"))
	_, err := c.ListTools(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	_, err = c.ListTools(t.Context())
	assert.ErrorContains(t, err, "the connection is closed")
}
