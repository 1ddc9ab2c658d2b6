package devissuer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/oauth/devissuer"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

const resource = "http://127.0.0.1:1/mcp"

// serve serves an issuer and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	issuer, err := devissuer.New(web.URL + "/issuer/")
	require.NoError(t, err)
	assert.Equal(t, web.URL+"/issuer", issuer.Address())
	for _, path := range issuer.Paths() {
		mux.Handle(path, issuer)
	}
	return issuer.Address()
}

func get(t *testing.T, address string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	status, body := do(t, req)
	require.Equal(t, http.StatusOK, status)
	return body
}

func do(t *testing.T, req *http.Request) (int, map[string]any) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	var body map[string]any
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&body))
	return resp.StatusCode, body
}

func ask(t *testing.T, issuer string, form url.Values) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, issuer+"/token", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return do(t, req)
}

// The test knows only the issuer's address.
func TestIssuer_PublishesTheKeysThatVerifyItsTokens(t *testing.T) {
	t.Parallel()
	issuer := serve(t)
	about := get(t, strings.Replace(issuer, "/issuer", "/.well-known/oauth-authorization-server/issuer", 1))
	assert.Equal(t, issuer, about["issuer"])
	assert.Equal(t, issuer+"/token", about["token_endpoint"])
	address, ok := about["jwks_uri"].(string)
	require.True(t, ok)
	published, err := json.Marshal(get(t, address))
	require.NoError(t, err)
	assert.NotContains(t, string(published), `"d"`, "the private key")

	keys, err := oauth.NewKeySet(address)
	require.NoError(t, err)
	verifier, err := oauth.NewVerifier(oauth.VerifierConfig{
		Issuer: issuer, Resource: resource, Scopes: []string{"a", "b"}, TenantClaim: devissuer.ClaimTenant, Keys: keys.Key,
	})
	require.NoError(t, err)
	status, body := ask(t, issuer, url.Values{
		"subject": {"alice"}, "tenant": {"acme"}, "resource": {resource}, "scope": {" b  c "}, "acr": {"mfa"},
		"authenticated_ago": {"60"},
	})
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, "Bearer", body["token_type"])
	assert.Equal(t, "b c", body["scope"])
	assert.EqualValues(t, 300, body["expires_in"])
	p, err := verifier.Principal(t.Context(), body["access_token"].(string))
	require.NoError(t, err)
	assert.Equal(t, "alice", p.Subject)
	assert.Equal(t, "acme", p.Tenant)
	assert.Equal(t, []string{"b"}, p.Permissions)
	assert.Equal(t, "mfa", p.ACR)
	assert.WithinDuration(t, time.Now().Add(-time.Minute), p.AuthTime, 10*time.Second)

	for name, want := range map[string]string{"resource": "it is for another resource", "expires_in": "it has expired"} {
		form := url.Values{"subject": {"alice"}, "resource": {resource}}
		form.Set(name, map[string]string{"resource": "https://other.example.com", "expires_in": "-60"}[name])
		_, body = ask(t, issuer, form)
		_, err = verifier.Principal(t.Context(), body["access_token"].(string))
		require.ErrorIs(t, err, oauth.ErrInvalidToken)
		assert.ErrorContains(t, err, want)
	}
}

func TestToken_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	issuer := serve(t)
	tests := []struct{ name, field, value, code string }{
		{"no subject", "subject", "", "invalid_request"},
		{"no resource", "resource", "", "invalid_target"},
		{"a path as the resource", "resource", "/mcp", "invalid_target"},
		{"a resource with a fragment", "resource", resource + "#x", "invalid_target"},
		{"another grant type", "grant_type", "authorization_code", "unsupported_grant_type"},
		{"an authentication in the future", "authenticated_ago", "-1", "invalid_request"},
		{"an age that is not a number", "authenticated_ago", "once", "invalid_request"},
		{"a lifetime of more than a day", "expires_in", "86401", "invalid_request"},
		{"an empty lifetime", "expires_in", "", "invalid_request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form := url.Values{"subject": {"alice"}, "resource": {resource}}
			form.Set(tt.field, tt.value)
			status, body := ask(t, issuer, form)
			assert.Equal(t, http.StatusBadRequest, status)
			assert.Equal(t, tt.code, body["error"])
			assert.NotContains(t, body, "access_token")
		})
	}
}

func TestIssuer_ServesOnlyThisMachine(t *testing.T) {
	t.Parallel()
	issuer, err := devissuer.New("http://127.0.0.1:1/issuer")
	require.NoError(t, err)
	for remote, want := range map[string]int{
		"127.0.0.1:1": http.StatusOK, "[::1]:1": http.StatusOK, "[::ffff:127.0.0.1]:1": http.StatusOK,
		"192.0.2.1:1": http.StatusForbidden, "[2001:db8::1]:1": http.StatusForbidden, "": http.StatusForbidden,
		"localhost:1": http.StatusForbidden,
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/issuer/jwks", nil)
		r.RemoteAddr = remote
		issuer.ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, remote)
	}
}

func TestIssuer_RefusesRequestsOfOtherSites(t *testing.T) {
	t.Parallel()
	issuer, err := devissuer.New("http://127.0.0.1:1/issuer")
	require.NoError(t, err)
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/issuer/token",
		strings.NewReader("subject=alice&resource="+resource))
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	issuer.ServeHTTP(w, r)
	assert.Equal(t, http.StatusForbidden, w.Code)
}
