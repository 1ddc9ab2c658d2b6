package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func (k *kit) bareChallenge() string {
	return `Bearer resource_metadata="` + k.origin + `/.well-known/oauth-protected-resource/mcp"`
}

// The client knows only the address of the server.
func TestChallenge_LeadsClientsToTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, era := range exampletest.Eras() {
		over, err := transport.NewStreamableHTTP(k.url)
		require.NoError(t, err)
		c := client.NewClient(over, client.WithProtocolVersion(era), client.WithDiscoverTimeout(-1))
		require.NoError(t, c.Start(t.Context()))
		_, err = c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
			ProtocolVersion: era, ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
		}})
		var required *transport.AuthorizationRequiredError
		require.ErrorAs(t, err, &required, era)
		require.NoError(t, c.Close())

		handler := transport.NewOAuthHandler(transport.OAuthConfig{ProtectedResourceMetadataURL: required.ResourceMetadataURL})
		handler.SetBaseURL(k.url)
		found, err := handler.GetServerMetadata(t.Context())
		require.NoError(t, err)
		assert.Equal(t, k.origin+"/issuer", found.Issuer)
		assert.Equal(t, k.origin+"/issuer/token", found.TokenEndpoint)
	}
	resp := k.send(http.MethodGet, k.origin+"/.well-known/oauth-protected-resource/mcp", nil)
	require.Equal(t, http.StatusOK, resp.status)
	var metadata map[string]any
	require.NoError(t, json.Unmarshal([]byte(resp.body), &metadata))
	assert.Equal(t, k.url, metadata["resource"])
	assert.Equal(t, []any{"account:read", "payouts:read", "payouts:release"}, metadata["scopes_supported"])
}

func TestChallenge_AnswersRequestsWithoutAToken(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodOptions} {
		resp := k.send(method, k.url, nil)
		assert.Equal(t, http.StatusUnauthorized, resp.status, method)
		assert.Equal(t, []string{k.bareChallenge()}, resp.header.Values("WWW-Authenticate"), method)
	}
	token := k.token()
	for name, resp := range map[string]response{
		"another scheme": k.send(http.MethodPost, k.url, nil, "Authorization", "Basic YWxpY2U6c2VjcmV0"),
		"in the query":   k.send(http.MethodPost, k.url+"?access_token="+token, nil),
		"in the body": k.send(http.MethodPost, k.url, strings.NewReader("access_token="+token), "Content-Type",
			"application/x-www-form-urlencoded"),
		"in a cookie":      k.send(http.MethodPost, k.url, nil, "Cookie", "access_token="+token),
		"without a scheme": k.send(http.MethodPost, k.url, nil, "Authorization", token),
	} {
		assert.Equal(t, http.StatusUnauthorized, resp.status, name)
		assert.Equal(t, k.bareChallenge(), resp.header.Get("WWW-Authenticate"), name)
	}
	resp := k.send(http.MethodPost, k.url, nil, "Authorization", "Bearer "+token, "Authorization", "Bearer "+token)
	assert.Equal(t, http.StatusBadRequest, resp.status)
	assert.Contains(t, resp.header.Get("WWW-Authenticate"), `error="invalid_request"`)
}

// forge returns a token with the claims of another token, but with its own
// header and signature.
func forge(t *testing.T, of string, method jwt.SigningMethod, key any, header map[string]any) string {
	t.Helper()
	claims := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser().ParseUnverified(of, claims)
	require.NoError(t, err)
	token := jwt.NewWithClaims(method, claims)
	token.Header["typ"], token.Header["kid"] = parsed.Header["typ"], parsed.Header["kid"]
	maps.Copy(token.Header, header)
	signed, err := token.SignedString(key)
	require.NoError(t, err)
	return signed
}

// publicKey returns the published key set of the issuer, and its only key in
// DER.
func (k *kit) publicKey() (jwks string, der []byte) {
	k.t.Helper()
	jwks = k.send(http.MethodGet, k.origin+"/issuer/jwks", nil).body
	var set struct{ Keys []struct{ X, Y string } }
	require.NoError(k.t, json.Unmarshal([]byte(jwks), &set))
	raw := []byte{4}
	for _, part := range []string{set.Keys[0].X, set.Keys[0].Y} {
		coordinate, err := base64.RawURLEncoding.DecodeString(part)
		require.NoError(k.t, err)
		raw = append(raw, coordinate...)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	require.NoError(k.t, err)
	der, err = x509.MarshalPKIXPublicKey(key)
	require.NoError(k.t, err)
	return jwks, der
}

func TestChallenge_RefusesInvalidTokensAlike(t *testing.T) {
	t.Parallel()
	k, elsewhere := newKit(t), newKit(t)
	good := k.fresh()
	jwks, der := k.publicKey()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := own.PublicKey.Bytes()
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	tests := []struct{ name, token, reason string }{
		{"for another server", k.fresh("resource", elsewhere.url), "for another resource"},
		{"for this server's issuer", k.fresh("resource", k.origin+"/issuer"), "for another resource"},
		{"for this server's host", k.fresh("resource", k.origin), "for another resource"},
		{"of another issuer", elsewhere.fresh("resource", k.url), "kid names no key"},
		{"expired", k.fresh("expires_in", "-60"), "has expired"},
		{"unsigned", forge(t, good, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil), "not signed with ES256"},
		{
			"signed with the published key set as a secret", forge(t, good, jwt.SigningMethodHS256, []byte(jwks), nil),
			"not signed with ES256",
		},
		{"signed with the public key as a secret", forge(t, good, jwt.SigningMethodHS256, der, nil), "not signed with ES256"},
		{"signed with the caller's own key", forge(t, good, jwt.SigningMethodES256, own, nil), "signature is wrong"},
		{"signed with the caller's own key, which is in the header", forge(t, good, jwt.SigningMethodES256, own, map[string]any{
			"jwk": map[string]any{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])},
		}), "signature is wrong"},
		{"an ID token", forge(t, good, jwt.SigningMethodES256, own, map[string]any{"typ": "JWT"}), "not at+jwt"},
		{"cut", good[:len(good)-6], "signature is wrong"},
		{"a name", "alice", "not a signed JWT"},
		{"empty", "", "not a signed JWT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := k.send(http.MethodPost, k.url, nil, "Authorization", "Bearer "+tt.token)
			assert.Equal(t, http.StatusUnauthorized, resp.status)
			assert.Equal(t, k.bareChallenge()+`, error="invalid_token", error_description="The access token is not valid"`,
				resp.header.Get("WWW-Authenticate"))
			assert.Equal(t, "Unauthorized\n", resp.body)
			assert.Contains(t, k.saw("a token was refused"), tt.reason)
		})
	}
	assert.Equal(t, everything, exampletest.Names(t, exampletest.As(t, k.url, good, exampletest.Modern)))
	assert.Equal(t, everything, exampletest.Names(t, exampletest.As(t, elsewhere.url, elsewhere.fresh(), exampletest.Modern)))
}

// The token names the caller, even in the session of another caller.
func TestSession_IsNotACredential(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	as := func(token, session, body string) response {
		headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
		if token != "" {
			headers = append(headers, "Authorization", "bearer "+token)
		}
		if session != "" {
			headers = append(headers, "Mcp-Session-Id", session)
		}
		return k.send(http.MethodPost, k.url, strings.NewReader(body), headers...)
	}
	session := as(k.token(), "", body).header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	assert.Contains(t, as(k.token(), session, list).body, "payouts.release")
	assert.Equal(t, http.StatusUnauthorized, as("", session, list).status)
	assert.NotContains(t, as(k.token("subject", "bob", "scope", "account:read"), session, list).body, "payouts.release")
}
