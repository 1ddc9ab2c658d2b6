package mcpgo_test

import (
	"bufio"
	"context"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestProgress_ReachesTheCallerThatAskedForIt(t *testing.T) {
	t.Parallel()
	var leaked context.Context
	n := &tools{}
	note := n.Note(func(ctx context.Context, _ string) error {
		guard.Progress(ctx, math.Inf(1), 2, "not a JSON number")
		guard.Progress(ctx, 1, math.NaN(), "not a JSON number")
		guard.Progress(ctx, 1, 4, "a quarter\x1b[2J")
		guard.Progress(ctx, 2, 0, "")
		leaked = ctx
		return nil
	}).MustBuild()
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("s", "1.0.0", g, asWritten(mcpgo.WithTools(note))...)
	require.NoError(t, err)
	k := &kit{t: t, server: s}
	sdktest.EachEra(t, func(t *testing.T, e era) {
		c := k.inProcess(e)
		got := make(chan mcp.JSONRPCNotification, 10)
		c.OnNotification(func(n mcp.JSONRPCNotification) { got <- n })
		for _, token := range []any{nil, "p-1", 5.0} {
			var meta *mcp.Meta
			if token != nil {
				meta = &mcp.Meta{ProgressToken: token}
			}
			_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
				Name: "notes.write", Arguments: map[string]any{"text": "x"}, Meta: meta,
			}})
			require.NoError(t, err)
			guard.Progress(leaked, 3, 4, "after the answer")
			if token == nil {
				continue // the next notification belongs to the next call
			}
			for _, want := range []map[string]any{
				{"progressToken": token, "progress": 1.0, "total": 4.0, "message": "a quarter"},
				{"progressToken": token, "progress": 2.0},
			} {
				notification := <-got
				assert.Equal(t, "notifications/progress", notification.Method)
				assert.Equal(t, want, notification.Params.AdditionalFields)
			}
		}
		assert.Empty(t, got)
	})
}

// Over HTTP the answer becomes a stream, which is sent while the handler runs.
// LimitHandler does not buffer it.
func TestProgress_StreamsOverHTTP(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		heard := make(chan struct{})
		note := (&tools{}).Note(func(ctx context.Context, _ string) error {
			guard.Progress(ctx, 1, 2, "half")
			<-heard
			return nil
		}).MustBuild()
		k := newKit(t, []*contract.Tool{note})
		body := sdktest.Message(t, e, 1, "tools/call", `{"name":"notes.write","arguments":{"text":"x"},"_meta":{"progressToken":"p"}}`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url, strings.NewReader(string(body)))
		require.NoError(t, err)
		for key, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer alice",
			"Mcp-Protocol-Version": string(e), "Mcp-Method": "tools/call", "Mcp-Name": "notes.write",
		} {
			req.Header.Set(key, value)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		var events []string
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if events = append(events, data); len(events) == 1 {
					close(heard)
				}
			}
		}
		require.Len(t, events, 2)
		assert.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,`+
			`"message":"half"}}`, events[0])
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, events[1]).Status)
	})
}
