package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The client closes its connection if the server refuses a notification, and
// its notifications/cancelled has no _meta, which mcp-go requires.
func TestMCPGo_ServesTheClientOfTheOfficialSDKAfterACancelledCall(t *testing.T) {
	t.Parallel()
	running := make(chan struct{}, 1)
	slow := contract.New("notes.find", func(ctx context.Context, in sdktest.OptionalIn) (string, error) {
		if in.Text == "slow" {
			running <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		}
		return in.Text, nil
	}).Description("Finds a note.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	h, err := mcpgo.NewHandler("notes", "1.0.0", nil, mcpgo.WithTools(slow))
	require.NoError(t, err)
	told := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		if r.Header.Get("Mcp-Method") == "notifications/cancelled" {
			told <- struct{}{}
		}
	}))
	t.Cleanup(web.Close)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	require.Equal(t, "2026-07-28", session.InitializeResult().ProtocolVersion)

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-running
		cancel()
	}()
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "notes_find", Arguments: map[string]any{"text": "slow"}})
	require.ErrorIs(t, err, context.Canceled)
	<-told
	for range 20 { // meanwhile the client reads the answer to its notification
		find := &mcp.CallToolParams{Name: "notes_find", Arguments: map[string]any{"text": "quick"}}
		result, err := session.CallTool(t.Context(), find)
		require.NoError(t, err)
		assert.False(t, result.IsError)
	}
}
