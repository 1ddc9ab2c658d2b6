package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

func TestNewHandler_KeepsASessionWhileAMiddlewareDelaysIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, err := gosdk.NewTable("kit", "1.0.0", nil,
			gosdk.WithHTTPOptions(mcp.StreamableHTTPOptions{SessionTimeout: time.Minute}))
		require.NoError(t, err)
		s, err := table.NewServer()
		require.NoError(t, err)
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				result, err := next(ctx, method, req)
				if method == "initialize" {
					time.Sleep(time.Hour)
				}
				return result, err
			}
		})
		h := table.Handler(func(*http.Request) *mcp.Server { return s })
		status, id := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, "test"))
		require.Equal(t, http.StatusOK, status)
		synctest.Wait()
		status, _ = sdktest.PostIn(t, h, id, sdktest.Listing)
		assert.Equal(t, http.StatusOK, status)
		time.Sleep(time.Minute)
		synctest.Wait()
		status, _ = sdktest.PostIn(t, h, id, sdktest.Listing)
		assert.Equal(t, http.StatusNotFound, status)
	})
}
