package mcpgo_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/store"
)

// A logText is the text of a log that several goroutines write.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines returns how many lines have the word.
func (l *logText) lines(word string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}

// replicas serves two guards behind one address. The requests go to the one
// whose number is in turn.
func replicas(t *testing.T, tools []*contract.Tool, opts ...guard.Option) (k *kit, turn *atomic.Int32, logs [2]*logText) {
	t.Helper()
	turn = &atomic.Int32{}
	var handlers [2]http.Handler
	for i := range handlers {
		logs[i] = &logText{}
		g, err := guard.New(append([]guard.Option{guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(&audit.Recorder{}),
			guard.WithLogger(slog.New(slog.NewTextHandler(logs[i], nil)))}, opts...)...)
		require.NoError(t, err)
		handlers[i], err = mcpgo.NewHandler("kit", "1.0.0", g, asWritten(mcpgo.WithTools(tools...))...)
		require.NoError(t, err)
		t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers[turn.Load()].ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return &kit{t: t, url: web.URL + "/mcp"}, turn, logs
}

func TestReplicas_WithoutSharedKeysOrStoreLogTheRemedy(t *testing.T) {
	t.Parallel()
	n := &tools{}
	previewed := n.Note(func(context.Context, string) error { return nil }).
		DryRun(dryrun.By(func(context.Context, noteIn) (dryrun.Preview[noteCount], error) {
			return dryrun.Preview[noteCount]{}, nil
		}).Required()).MustBuild()
	served := []*contract.Tool{n.Send(), previewed, (&booker{}).tool(wrap.WithRounds(2)).MustBuild()}
	keys := guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	records, err := store.NewMemory()
	require.NoError(t, err)
	confirm := func(k *kit, turn *atomic.Int32) (*mcp.CallToolResult, error) {
		turn.Store(0)
		ada := &person{answer: approves, meanwhile: func() { turn.Store(1) }}
		return callTool(t.Context(), k.clientOf(modern, "alice", ada), "notes.send", map[string]any{"text": "hello"})
	}
	continues := func(k *kit, turn *atomic.Int32) (*mcp.CallToolResult, error) {
		turn.Store(0)
		rome := &traveller{answered: func(string) { turn.Store(1) }}
		return callTool(t.Context(), k.connectTraveller(modern, rome), "book", map[string]any{})
	}
	dryRun := func(k *kit, turn *atomic.Int32) (*mcp.CallToolResult, error) {
		turn.Store(0)
		c := k.client(modern, "alice")
		preview, err := callTool(t.Context(), c, "notes.write", map[string]any{"text": "x", "dryRun": true})
		require.NoError(t, err)
		shown, ok := preview.StructuredContent.(map[string]any)
		require.True(t, ok)
		turn.Store(1)
		return callTool(t.Context(), c, "notes.write", map[string]any{"text": "x", "dryRunToken": shown["dryRunToken"]})
	}
	for name, call := range map[string]func(*kit, *atomic.Int32) (*mcp.CallToolResult, error){
		"the state of a question": confirm, "the state of a handler": continues, "the token of a preview": dryRun,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, opts := range [][]guard.Option{nil, {keys}} {
				k, turn, logs := replicas(t, served, opts...)
				for range 3 {
					r, err := call(k, turn)
					if err == nil { // both answers are those to anything that was not sealed here
						assert.Equal(t, contract.CodeDryRunRequired, outcomeOf(t, r).Code)
					} else {
						assert.ErrorContains(t, err, "the request state is not valid for this call")
					}
				}
				assert.Equal(t, 1, logs[1].lines("another process"), "one line for a while")
				assert.Zero(t, logs[0].lines("another process"))
			}
			k, turn, logs := replicas(t, served, keys, guard.WithStore(records))
			r, err := call(k, turn)
			require.NoError(t, err)
			assert.Equal(t, contract.StatusOK, outcomeOf(t, r).Status)
			for _, log := range logs {
				assert.Zero(t, log.lines("another process"))
			}
		})
	}
}
