package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

const challenge = `Bearer resource_metadata="https://mail.example.com/.well-known/oauth-protected-resource/mcp"`

var errSecretReason = errors.New("it is for another resource")

func verify(_ context.Context, token string) (guard.Principal, error) {
	switch token {
	case "alice":
		return guard.Principal{Subject: "alice", Permissions: []string{"mcp:use", "emails:send"}}, nil
	case "bob":
		return guard.Principal{Subject: "bob"}, nil
	case "nobody":
		return guard.Principal{}, nil
	case "later":
		return guard.Principal{}, fmt.Errorf("no route to host: %w", guard.ErrUnavailable)
	}
	return guard.Principal{}, errSecretReason
}

func config() oauth.ResourceConfig {
	return oauth.ResourceConfig{
		Address: "https://mail.example.com/mcp", Name: "Mail", Issuers: []string{"https://login.example.com"},
		Scopes: []string{"emails:send", "mcp:use"}, Verify: verify, Logger: slog.New(slog.DiscardHandler),
	}
}

// send sends a request to a protected handler.
func send(t *testing.T, c oauth.ResourceConfig, credentials ...string) *httptest.ResponseRecorder {
	t.Helper()
	resource, err := oauth.NewResource(c)
	require.NoError(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp?access_token=alice", nil)
	for _, one := range credentials {
		r.Header.Add("Authorization", one)
	}
	w := httptest.NewRecorder()
	resource.Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "passed") })).
		ServeHTTP(w, r)
	return w
}

func TestProtect_AnswersEachKindOfToken(t *testing.T) {
	t.Parallel()
	anonymous := func(c *oauth.ResourceConfig) { c.AllowAnonymous = true }
	required := func(c *oauth.ResourceConfig) { c.RequiredScopes = []string{"mcp:use"} }
	asked := func(c *oauth.ResourceConfig) { c.ChallengeScopes = []string{"emails:send", "mcp:use"} }
	const invalid = `, error="invalid_token", error_description="The access token is not valid"`
	tests := []struct {
		name        string
		change      func(*oauth.ResourceConfig)
		credentials []string
		status      int
		challenge   string
	}{
		{"a valid token", nil, []string{"Bearer alice"}, http.StatusOK, ""},
		{"a scheme in lower case", nil, []string{"bearer  alice"}, http.StatusOK, ""},
		{"no token", nil, nil, http.StatusUnauthorized, challenge},
		{"another scheme", nil, []string{"Basic alice"}, http.StatusUnauthorized, challenge},
		{"no scheme", nil, []string{"alice"}, http.StatusUnauthorized, challenge},
		{"an invalid token", nil, []string{"Bearer mallory"}, http.StatusUnauthorized, challenge + invalid},
		{"an empty token", nil, []string{"Bearer"}, http.StatusUnauthorized, challenge + invalid},
		{"a token without a subject", nil, []string{"Bearer nobody"}, http.StatusUnauthorized, challenge + invalid},
		{
			"two tokens", nil, []string{"Bearer alice", "Bearer alice"}, http.StatusBadRequest,
			challenge + `, error="invalid_request", error_description="There is more than one Authorization header"`,
		},
		{"a token that cannot be verified now", nil, []string{"Bearer later"}, http.StatusServiceUnavailable, ""},
		{"anonymous, if that is allowed", anonymous, nil, http.StatusOK, ""},
		{
			"an invalid token, if anonymous requests are allowed", anonymous, []string{"Bearer mallory"},
			http.StatusUnauthorized, challenge + invalid,
		},
		{"another scheme, if anonymous requests are allowed", anonymous, []string{"Basic alice"}, http.StatusUnauthorized, challenge},
		{"the required scope", required, []string{"Bearer alice"}, http.StatusOK, ""},
		{"without the required scope", required, []string{"Bearer bob"}, http.StatusForbidden,
			challenge + `, error="insufficient_scope", error_description="Every request needs more scopes", scope="mcp:use"`},
		{"no token, with a required scope", required, nil, http.StatusUnauthorized, challenge + `, scope="mcp:use"`},
		{"no token, with scopes to request", asked, nil, http.StatusUnauthorized, challenge + `, scope="emails:send mcp:use"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := config()
			if tt.change != nil {
				tt.change(&c)
			}
			w := send(t, c, tt.credentials...)
			assert.Equal(t, tt.status, w.Code)
			assert.Equal(t, tt.challenge, w.Header().Get("WWW-Authenticate"))
			if tt.challenge != "" {
				assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			}
			assert.Equal(t, tt.status == http.StatusOK, w.Body.String() == "passed")
			assert.NotContains(t, w.Body.String()+fmt.Sprint(w.Header()), errSecretReason.Error())
		})
	}
}

func TestProtect_LogsWhyATokenWasRefused(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := config()
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	send(t, c, "Bearer mallory-secret")
	assert.Contains(t, log.String(), errSecretReason.Error())
	assert.NotContains(t, log.String(), "mallory-secret")
}

func TestResource_ServesItsMetadata(t *testing.T) {
	t.Parallel()
	for address, path := range map[string]string{
		"https://mail.example.com/mcp":      "/.well-known/oauth-protected-resource/mcp",
		"https://mail.example.com/t/a%20/":  "/.well-known/oauth-protected-resource/t/a%20",
		"https://mail.example.com":          "/.well-known/oauth-protected-resource",
		"http://127.0.0.1:8080/mcp":         "/.well-known/oauth-protected-resource/mcp",
		"https://mail.example.com:8443/mcp": "/.well-known/oauth-protected-resource/mcp",
	} {
		c := config()
		c.Address = address
		resource, err := oauth.NewResource(c)
		require.NoError(t, err, address)
		assert.Equal(t, path, resource.MetadataPath())
		w := httptest.NewRecorder()
		resource.ServeHTTP(w, httptest.NewRequest(http.MethodGet, resource.MetadataAddress(), nil))
		var got map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		assert.Equal(t, map[string]any{
			"resource": address, "resource_name": "Mail", "authorization_servers": []any{"https://login.example.com"},
			"scopes_supported": []any{"emails:send", "mcp:use"}, "bearer_methods_supported": []any{"header"},
		}, got)
		assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	}
	resource, err := oauth.NewResource(config())
	require.NoError(t, err)
	for method, want := range map[string]int{
		http.MethodOptions: http.StatusNoContent, http.MethodPost: http.StatusMethodNotAllowed, http.MethodHead: http.StatusOK,
	} {
		w := httptest.NewRecorder()
		resource.ServeHTTP(w, httptest.NewRequest(method, resource.MetadataAddress(), nil))
		assert.Equal(t, want, w.Code, method)
	}
}

func TestNewResource_ReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*oauth.ResourceConfig){
		"no address":                     func(c *oauth.ResourceConfig) { c.Address = "" },
		"an address in clear text":       func(c *oauth.ResourceConfig) { c.Address = "http://mail.example.com/mcp" },
		"an address with a query":        func(c *oauth.ResourceConfig) { c.Address += "?x=1" },
		"an address with an empty query": func(c *oauth.ResourceConfig) { c.Address += "?" },
		"an address without a host":      func(c *oauth.ResourceConfig) { c.Address = "https://:443/mcp" },
		"an address with a fragment":     func(c *oauth.ResourceConfig) { c.Address += "#x" },
		"an address with a quote":        func(c *oauth.ResourceConfig) { c.Address += `"` },
		"no issuer":                      func(c *oauth.ResourceConfig) { c.Issuers = nil },
		"an issuer in clear text":        func(c *oauth.ResourceConfig) { c.Issuers = []string{"http://login.example.com"} },
		"no function":                    func(c *oauth.ResourceConfig) { c.Verify = nil },
		"a scope with a space":           func(c *oauth.ResourceConfig) { c.Scopes = []string{"a b"} },
		"a required scope with a quote":  func(c *oauth.ResourceConfig) { c.RequiredScopes = []string{`a"`} },
		"an empty scope in the question": func(c *oauth.ResourceConfig) { c.ChallengeScopes = []string{""} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config()
			change(&c)
			resource, err := oauth.NewResource(c)
			require.Error(t, err)
			assert.Nil(t, resource)
		})
	}
}
