package serve_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/serve"
)

// A page's preflight has no token, so a handler that requires one must not see
// it. The SDKs' tests try the rest with Chromium.
func TestServe_AnswersThePreflightsOfAllowedPages(t *testing.T) {
	t.Parallel()
	const page = "https://inspector.example.com"
	s, err := serve.Listen("127.0.0.1:0", serve.Config{AllowedOrigins: []string{page}})
	require.NoError(t, err)
	s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	start(t, s, newGuard(t))
	send := func(method, from string, header http.Header) (status int, answer http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.Origin()+"/mcp", http.NoBody)
		require.NoError(t, err)
		r.Header = header.Clone()
		r.Header.Set("Origin", from)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode, response.Header
	}
	preflight := http.Header{
		"Access-Control-Request-Method":  {"POST"},
		"Access-Control-Request-Headers": {"authorization,mcp-protocol-version, mcp-param-region,x-forwarded-for,cookie"},
	}
	status, answer := send(http.MethodOptions, page, preflight)
	assert.Equal(t, http.StatusNoContent, status)
	assert.Equal(t, page, answer.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "authorization, mcp-protocol-version, mcp-param-region", answer.Get("Access-Control-Allow-Headers"))
	assert.Empty(t, answer.Get("Access-Control-Allow-Credentials"))

	status, answer = send(http.MethodPost, page, http.Header{})
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Equal(t, page, answer.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, answer.Get("Access-Control-Expose-Headers"), "WWW-Authenticate")
	assert.Contains(t, answer.Values("Vary"), "Origin")

	status, answer = send(http.MethodOptions, "https://evil.example", preflight)
	assert.Equal(t, http.StatusForbidden, status)
	assert.Empty(t, answer.Get("Access-Control-Allow-Origin"))

	status, answer = send(http.MethodOptions, s.Origin(), preflight)
	assert.Equal(t, http.StatusUnauthorized, status, "a page of the server itself needs no preflight")
	assert.Empty(t, answer.Get("Access-Control-Allow-Origin"))

	status, _ = send(http.MethodOptions, page, http.Header{})
	assert.Equal(t, http.StatusUnauthorized, status, "OPTIONS without a question is the handler's")
}
