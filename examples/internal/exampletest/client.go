package exampletest

import (
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// A protocol era is named by one of its versions. Before version 2026-07-28, a
// client opens a session first.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// Eras returns both eras.
func Eras() []string { return []string{Legacy, Modern} }

func connect(t *testing.T, over transport.Interface, era string, options ...client.ClientOption) *client.Client {
	t.Helper()
	ctx := Patient(t)
	// Wait for the answer, so that a slow server is not taken for a legacy one.
	c := client.NewClient(over, append(options, client.WithProtocolVersion(era), client.WithDiscoverTimeout(-1))...)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	require.NoError(t, c.Start(ctx))
	_, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: era, ClientInfo: mcp.Implementation{Name: "test", Version: "1.0.0"},
	}})
	require.NoError(t, err)
	require.Equal(t, era, c.ProtocolVersion())
	return c
}

// Stdio starts the server as a process of its own and connects to it over
// stdio. When the test ends, so does the server's input, and the server must
// exit with 0.
func Stdio(t *testing.T, era string, args ...string) *client.Client {
	t.Helper()
	return StdioLogged(t, nil, era, args...)
}

// StdioLogged is Stdio with a writer for the server's stderr. Nil discards it.
func StdioLogged(t *testing.T, stderr io.Writer, era string, args ...string) *client.Client {
	t.Helper()
	cmd := Command(t, args...)
	cmd.Stderr = stderr
	return StdioOf(t, cmd, era)
}

// StdioOf is Stdio for a command that is not started yet.
func StdioOf(t *testing.T, cmd *exec.Cmd, era string, options ...client.ClientOption) *client.Client {
	t.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	// Not mcp-go's transport for processes, because it kills a process that
	// does not end within some seconds.
	t.Cleanup(func() { assert.NoError(t, cmd.Wait(), "exits 0 when its input ends") })
	return connect(t, transport.NewIO(out, in, io.NopCloser(strings.NewReader(""))), era, options...)
}

// As connects to a server over HTTP with a bearer token. An empty token sends
// none.
func As(t *testing.T, url, token, era string, options ...client.ClientOption) *client.Client {
	t.Helper()
	var carrier []transport.StreamableHTTPCOption
	if token != "" {
		carrier = append(carrier, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	}
	over, err := transport.NewStreamableHTTP(url, carrier...)
	require.NoError(t, err)
	return connect(t, over, era, options...)
}

// Names returns the names of the listed tools.
func Names(t *testing.T, c *client.Client) []string {
	t.Helper()
	result, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	list := []string{}
	for _, tool := range result.Tools {
		list = append(list, tool.Name)
	}
	return list
}

// Call calls a tool. It returns the result and the outcome in the result's
// _meta.
func Call(t *testing.T, c *client.Client, tool, arguments string) (*mcp.CallToolResult, contract.Outcome) {
	t.Helper()
	return call(t, c, mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
}

// CallKeyed is Call with an idempotency key.
func CallKeyed(t *testing.T, c *client.Client, tool, arguments, key string) (*mcp.CallToolResult, contract.Outcome) {
	t.Helper()
	meta := &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: key}}
	return call(t, c, mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), Meta: meta})
}

func call(t *testing.T, c *client.Client, params mcp.CallToolParams) (*mcp.CallToolResult, contract.Outcome) {
	t.Helper()
	result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: params})
	require.NoError(t, err)
	return result, outcomeOf(t, result)
}

// outcomeOf returns the outcome in the _meta of a result.
func outcomeOf(t *testing.T, result *mcp.CallToolResult) contract.Outcome {
	t.Helper()
	require.NotNil(t, result.Meta)
	data, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	require.NoError(t, err)
	var outcome contract.Outcome
	require.NoError(t, json.Unmarshal(data, &outcome))
	return outcome
}

// Text returns the text of a result that has exactly one, or of a replay, which
// has a note after it.
func Text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	want := 1
	if outcomeOf(t, result).Status == contract.StatusReplayed {
		want = 2
	}
	require.Len(t, result.Content, want)
	content, ok := result.Content[0].(mcp.TextContent)
	require.True(t, ok)
	return content.Text
}
