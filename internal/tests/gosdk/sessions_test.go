package gosdk_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

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
