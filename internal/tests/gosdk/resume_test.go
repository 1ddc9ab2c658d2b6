package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A proxy cuts a call's connection while its handler is running. The server
// keeps its events, so the agent gets the result without a second call.
func TestAgent_ResumesACallOfAServerThatKeepsItsEvents(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	begun, resumes := make(chan struct{}, 2), make(chan struct{})
	slow, err := contract.New("reports.sum", func(ctx context.Context, _ struct{}) (string, error) {
		runs.Add(1)
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-resumes:
			return "done", nil
		}
	}).Description("Sums.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	require.NoError(t, err)
	h, err := gosdk.NewHandler("reports", "1.0.0", nil, gosdk.WithTools(slow),
		gosdk.WithHTTPOptions(mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))
	require.NoError(t, err)
	var resumed atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "" {
			if resumed.Add(1) == 1 {
				close(resumes)
			}
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	a, err := agent.Connect(t.Context(), client.New(clienttest.Speaking("2025-11-25", client.HTTP{URL: web.URL})), agent.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	go func() {
		<-begun
		web.CloseClientConnections()
	}()
	text, err := agent.Call[string](t.Context(), a, "reports_sum", nil)
	require.NoError(t, err)
	assert.Equal(t, "done", text)
	assert.EqualValues(t, 1, runs.Load())
	assert.Positive(t, resumed.Load())
}
