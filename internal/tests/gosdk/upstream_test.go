package gosdk_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// TestUpstream_ListsAndCallsAServerOfTheSDK involves no contract at all: a
// gateway reads servers as they are.
func TestUpstream_ListsAndCallsAServerOfTheSDK(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: 2})
	add := func(name string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
			})
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		add(name)
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	server := client.New(client.HTTP{URL: web.URL})
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	c, err := catalog.New([]catalog.Source{{Name: "plain", Lister: server}}, catalog.Options{})
	require.NoError(t, err)
	cycle, err := c.Refresh(t.Context())
	require.NoError(t, err)
	require.Len(t, cycle.Entries, 5, "%v", cycle.Servers)
	assert.Equal(t, "read-only", cycle.Entries[0].Fact("effect").Effective)

	result, err := catalog.HandlerOf(server, "c")(t.Context(),
		adapter.HandlerCall{Arguments: json.RawMessage(`{"n":9007199254740993}`)})
	require.NoError(t, err)
	require.Len(t, result.Content, 1)

	deadline := time.After(patience)
	for n := 0; ; n++ { // the notification stream may not be open yet
		add("new" + string(rune('a'+n%26)))
		select {
		case <-server.Changed():
		case <-time.After(200 * time.Millisecond):
			continue
		case <-deadline:
			require.Fail(t, "no change was reported")
		}
		break
	}
	cycle, err = c.Refresh(t.Context())
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(cycle.Changes, func(c catalog.Change) bool { return c.Kind == "added" }))
}
