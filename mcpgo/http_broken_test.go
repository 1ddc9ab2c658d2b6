package mcpgo_test

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// A lockedBuffer is a log that a server writes.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func breakOff(context.Context) { panic("the function of an option") }

// A function that ends the goroutine of a request ends its connection, as in
// net/http.
func TestNewHandler_ClosesTheConnectionOfABrokenRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    func(context.Context)
		logged []string
	}{
		"a panic":             {breakOff, []string{"http: panic serving", "the function of an option", "mcpgo_test.breakOff"}},
		"an aborted response": {func(context.Context) { panic(http.ErrAbortHandler) }, nil},
		"the goroutine's end": {func(context.Context) { runtime.Goexit() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandlerOf(t, server.WithStateLess(true), server.WithHTTPContextFunc(func(ctx context.Context,
				r *http.Request) context.Context {
				if r.Header.Get("X-Break") != "" {
					c.end(ctx)
				}
				return ctx
			}))
			var logged lockedBuffer
			web := httptest.NewUnstartedServer(h)
			web.Config.ErrorLog = log.New(&logged, "", 0)
			web.Start()
			post := func(broken string) (*http.Response, error) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL,
					strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-Break", broken)
				return web.Client().Do(r)
			}
			for range 3 {
				answer, err := post("yes")
				if !assert.Error(t, err, "the connection is closed without an answer") {
					_ = answer.Body.Close()
				}
				answer, err = post("")
				require.NoError(t, err)
				assert.Equal(t, http.StatusOK, answer.StatusCode)
				require.NoError(t, answer.Body.Close())
			}
			web.Close() // the log is complete
			for _, part := range c.logged {
				assert.Contains(t, logged.String(), part)
			}
			if c.logged == nil {
				assert.Empty(t, logged.String())
			}
		})
	}
}

// Server authors test with a fake clock: once the guard is closed, no goroutine
// stays in the bubble.
func TestNewHandler_AnswersInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
			guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
				return guard.Principal{Issuer: "i", Subject: "s"}, nil
			})))
		require.NoError(t, err)
		s, err := mcpgo.NewServer("kit", "1.0.0", g, mcpgo.WithTools((&tools{}).Add().MustBuild()))
		require.NoError(t, err)
		h, err := mcpgo.HandlerOf(s, server.WithStateLess(true))
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calc_add","arguments":{"a":1}}}`))
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		assert.Contains(t, answer.Body.String(), `"status":"ok"`)
		require.NoError(t, g.Close(t.Context()))
	})
}
