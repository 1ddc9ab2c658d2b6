package gosdk_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The SDK keeps what clients declare, as long as the session is open.
func TestThreat148_SessionsWithoutEnd(t *testing.T) { // alone, because it measures the heap
	h, err := gosdk.NewHandler("kit", "1.0.0", nil)
	require.NoError(t, err)
	sdktest.OpenSessions(t, h)
	status, _ := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, strings.Repeat("x", 64<<10)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
}

func TestThreat148_ASessionKeepsNoTextAsItsLevel(t *testing.T) {
	t.Parallel()
	h, err := gosdk.NewHandler("kit", "1.0.0", nil)
	require.NoError(t, err)
	status, id := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, "test"))
	require.Equal(t, http.StatusOK, status)
	for level, refused := range map[string]bool{"warning": false, strings.Repeat("x", 1<<20): true} {
		rec := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"`+level+`"}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", id)
		h.ServeHTTP(rec, r)
		require.Equal(t, http.StatusOK, rec.Code)
		assert.Equal(t, refused, strings.Contains(rec.Body.String(), `"code":-32602`))
	}
}

func TestNewHandler_EndsUnusedSessions(t *testing.T) {
	t.Parallel()
	h, err := gosdk.NewHandler("kit", "1.0.0", nil,
		gosdk.WithHTTPOptions(mcp.StreamableHTTPOptions{SessionTimeout: time.Millisecond}))
	require.NoError(t, err)
	status, id := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, "test"))
	require.Equal(t, http.StatusOK, status)
	require.NotEmpty(t, id)
	assert.Eventually(t, func() bool {
		status, _ := sdktest.PostIn(t, h, id, sdktest.Listing)
		return status == http.StatusNotFound
	}, time.Minute, 10*time.Millisecond)
}
