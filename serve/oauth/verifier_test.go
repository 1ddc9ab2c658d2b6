package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

const (
	issuer   = "https://login.example.com"
	resource = "https://payouts.example.com/mcp"
	kid      = "first"
)

// latest is the last second of the year 9999.
const latest = 253402300799

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// An authority signs tokens with any claims and headers.
type authority struct {
	t   testing.TB
	key *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return &authority{t, key}
}

func (a *authority) verifier() *oauth.Verifier {
	a.t.Helper()
	v, err := oauth.NewVerifierAt(now, oauth.VerifierConfig{
		Issuer: issuer, Resource: resource, Scopes: []string{"account:read", "payouts:read", "payouts:release"},
		Keys: a.find, TenantClaim: "tenant",
	})
	require.NoError(a.t, err)
	return v
}

func (a *authority) find(_ context.Context, name, _ string) (crypto.PublicKey, error) {
	switch name {
	case kid:
		return &a.key.PublicKey, nil
	case "down":
		return nil, fmt.Errorf("no route to host: %w", guard.ErrUnavailable)
	case "broken":
		return nil, errors.New("the set is no JSON")
	}
	return nil, nil //nolint:nilnil // the documented result of a KeyFunc
}

func validClaims() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": issuer, "aud": resource, "sub": "alice", "client_id": "host", "jti": "1",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"scope": "payouts:read account:read", "auth_time": now.Add(-time.Hour).Unix(), "acr": "pwd",
	}
}

func validHeader() map[string]any { return map[string]any{"typ": "at+jwt", "kid": kid} }

// sign returns a signed token. A nil value removes a header or a claim.
func (a *authority) sign(method jwt.SigningMethod, key any, header, claims map[string]any) string {
	a.t.Helper()
	token := jwt.NewWithClaims(method, with(validClaims(), claims))
	maps.Copy(token.Header, with(validHeader(), header))
	for name, value := range header {
		if value == nil {
			delete(token.Header, name)
		}
	}
	signed, err := token.SignedString(key)
	require.NoError(a.t, err)
	return signed
}

func (a *authority) token(header, claims map[string]any) string {
	a.t.Helper()
	return a.sign(jwt.SigningMethodES256, a.key, header, claims)
}

func with[M ~map[string]any](base M, changes map[string]any) M {
	for name, value := range changes {
		if value == nil {
			delete(base, name)
			continue
		}
		base[name] = value
	}
	return base
}

type set = map[string]any

func TestPrincipal_HasTheClaimsOfAValidToken(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	base := guard.Principal{
		Issuer: issuer, Subject: "alice", Permissions: []string{"account:read", "payouts:read"},
		AuthTime: now.Add(-time.Hour).Local(), ACR: "pwd",
	}
	tests := []struct {
		name           string
		header, claims set
		want           func(*guard.Principal)
	}{
		{"unchanged", nil, nil, func(*guard.Principal) {}},
		{"a tenant", nil, set{"tenant": "acme"}, func(p *guard.Principal) { p.Tenant = "acme" }},
		{"no scope", nil, set{"scope": nil}, func(p *guard.Principal) { p.Permissions = nil }},
		{
			"unknown scopes", nil, set{"scope": "admin payouts:read payouts payouts:READ"},
			func(p *guard.Principal) { p.Permissions = []string{"payouts:read"} },
		},
		{
			"a list of scopes", nil, set{"scope": []string{"payouts:read"}},
			func(p *guard.Principal) { p.Permissions = []string{"payouts:read"} },
		},
		{
			"the same scope twice", nil, set{"scope": "payouts:read payouts:read"},
			func(p *guard.Principal) { p.Permissions = []string{"payouts:read"} },
		},
		{
			"no time and class of the authentication", nil, set{"auth_time": nil, "acr": nil},
			func(p *guard.Principal) { p.AuthTime, p.ACR = time.Time{}, "" },
		},
		{"several audiences", nil, set{"aud": []string{"https://other.example.com", resource}}, func(*guard.Principal) {}},
		{"the type as a full media type", set{"typ": "Application/AT+JWT"}, nil, func(*guard.Principal) {}},
		{"no nbf, which RFC 9068 does not require", nil, set{"nbf": nil}, func(*guard.Principal) {}},
		{"expired within the leeway", nil, set{"exp": now.Add(-29 * time.Second).Unix()}, func(*guard.Principal) {}},
		{
			"early within the leeway", nil,
			set{"nbf": now.Add(29 * time.Second).Unix(), "iat": now.Add(29 * time.Second).Unix()}, func(*guard.Principal) {},
		},
		{
			"addresses of keys in the header",
			set{"jku": "https://evil.example.com/jwks", "x5u": "https://evil.example.com"}, nil, func(*guard.Principal) {},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := base
			tt.want(&want)
			got, err := a.verifier().Principal(t.Context(), a.token(tt.header, tt.claims))
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestPrincipal_RefusesInvalidTokens(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	tests := []struct {
		name           string
		header, claims set
		want           error
	}{
		{"another issuer", nil, set{"iss": "https://evil.example.com"}, oauth.ErrIssuer},
		{"the issuer with a slash", nil, set{"iss": issuer + "/"}, oauth.ErrIssuer},
		{"no issuer", nil, set{"iss": nil}, oauth.ErrClaims},
		{"a list of issuers", nil, set{"iss": []string{issuer}}, oauth.ErrClaims},
		{"another resource", nil, set{"aud": "https://other.example.com/mcp"}, oauth.ErrAudience},
		{"the host of the resource", nil, set{"aud": "https://payouts.example.com"}, oauth.ErrAudience},
		{"two other resources", nil, set{"aud": []string{"https://a.example.com", "https://b.example.com"}}, oauth.ErrAudience},
		{"no resource", nil, set{"aud": nil}, oauth.ErrClaims},
		{"an empty list of resources", nil, set{"aud": []string{}}, oauth.ErrClaims},
		{"a number as the resource", nil, set{"aud": 1}, oauth.ErrClaims},
		{"a list of resources with a number", nil, set{"aud": []any{resource, 1}}, oauth.ErrClaims},
		{"expired", nil, set{"exp": now.Add(-30 * time.Second).Unix()}, oauth.ErrExpired},
		{"no expiry", nil, set{"exp": nil}, oauth.ErrClaims},
		{"an expiry at zero", nil, set{"exp": 0}, oauth.ErrClaims},
		{"an expiry that is a date", nil, set{"exp": "2030-01-01"}, oauth.ErrClaims},
		{"not valid yet", nil, set{"nbf": now.Add(31 * time.Second).Unix()}, oauth.ErrTooEarly},
		{"an nbf after the year 9999", nil, set{"nbf": 1e300}, oauth.ErrClaims},
		{"an expiry after the year 9999", nil, set{"exp": latest + 1}, oauth.ErrClaims},
		{"an nbf that is a text", nil, set{"nbf": "soon"}, oauth.ErrClaims},
		{"issued in the future", nil, set{"iat": now.Add(31 * time.Second).Unix()}, oauth.ErrTooEarly},
		{"no time of issue", nil, set{"iat": nil}, oauth.ErrClaims},
		{"issued at zero", nil, set{"iat": 0}, oauth.ErrClaims},
		{"no subject", nil, set{"sub": nil}, oauth.ErrClaims},
		{"an empty subject", nil, set{"sub": ""}, oauth.ErrClaims},
		{"a number as the subject", nil, set{"sub": 7}, oauth.ErrClaims},
		{"a subject in upper case", nil, set{"sub": nil, "SUB": "alice"}, oauth.ErrClaims},
		{"a scope that is a list of numbers", nil, set{"scope": []any{"payouts:read", 1}}, oauth.ErrClaims},
		{"a scope that is a number", nil, set{"scope": 1}, oauth.ErrClaims},
		{"an acr that is a list", nil, set{"acr": []string{"mfa"}}, oauth.ErrClaims},
		{"a tenant that is a number", nil, set{"tenant": 7}, oauth.ErrClaims},
		{"an auth_time that is a text", nil, set{"auth_time": "now"}, oauth.ErrClaims},
		{"a negative auth_time", nil, set{"auth_time": -1}, oauth.ErrClaims},
		{"an auth_time after the year 9999", nil, set{"auth_time": 1e300}, oauth.ErrClaims},
		{"an ID token", set{"typ": "JWT"}, nil, oauth.ErrType},
		{"no type", set{"typ": nil}, nil, oauth.ErrType},
		{"a type with a suffix", set{"typ": "at+jwt+x"}, nil, oauth.ErrType},
		{"no key identifier", set{"kid": nil}, nil, oauth.ErrKey},
		{"an unknown key identifier", set{"kid": "second"}, nil, oauth.ErrKey},
		{"a numeric key identifier", set{"kid": 1}, nil, oauth.ErrKey},
		{"an unknown critical header", set{"crit": []string{"b64"}, "b64": false}, nil, oauth.ErrCritical},
		{"an empty list of critical headers", set{"crit": []string{}}, nil, oauth.ErrCritical},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := a.verifier().Principal(t.Context(), a.token(tt.header, tt.claims))
			assert.Equal(t, tt.want, err)
			assert.ErrorIs(t, err, oauth.ErrInvalidToken)
			assert.Zero(t, p)
		})
	}
}

func TestPrincipal_RefusesInvalidSignatures(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	public, err := x509.MarshalPKIXPublicKey(&a.key.PublicKey)
	require.NoError(t, err)
	point, err := a.key.PublicKey.Bytes()
	require.NoError(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	good := a.token(nil, nil)
	part := strings.Split(good, ".")
	encode := base64.RawURLEncoding.EncodeToString
	tests := []struct {
		name, token string
		want        error
	}{
		{"another key with the same identifier", other.token(nil, nil), oauth.ErrSignature},
		{"none", a.sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, nil), oauth.ErrAlgorithm},
		{
			"none, in mixed case", encode([]byte(`{"alg":"nOnE","typ":"at+jwt","kid":"first"}`)) + "." + part[1] + ".", oauth.ErrAlgorithm,
		},
		{"HS256 with the public key's DER as the secret", a.sign(jwt.SigningMethodHS256, public, nil, nil), oauth.ErrAlgorithm},
		{"HS256 with the public key's point as the secret", a.sign(jwt.SigningMethodHS256, point, nil, nil), oauth.ErrAlgorithm},
		{"EdDSA", a.sign(jwt.SigningMethodEdDSA, edwards, nil, nil), oauth.ErrAlgorithm},
		{"ES384", a.sign(jwt.SigningMethodES384, p384, nil, nil), oauth.ErrAlgorithm},
		{"no algorithm", encode([]byte(`{"typ":"at+jwt","kid":"first"}`)) + "." + part[1] + "." + part[2], oauth.ErrAlgorithm},
		{
			"a numeric algorithm", encode([]byte(`{"alg":256,"typ":"at+jwt","kid":"first"}`)) + "." + part[1] + "." + part[2],
			oauth.ErrAlgorithm,
		},
		{"no signature", part[0] + "." + part[1] + ".", oauth.ErrSignature},
		{
			"the signature of other claims",
			part[0] + "." + encode([]byte(`{"iss":"`+issuer+`","aud":"`+resource+`","sub":"bob","exp":4000000000,"iat":1}`)) +
				"." + part[2], oauth.ErrSignature,
		},
		{"a signature of zeros", part[0] + "." + part[1] + "." + encode(make([]byte, 64)), oauth.ErrSignature},
		{"a signature that is cut", part[0] + "." + part[1] + "." + part[2][:40], oauth.ErrSignature},
		{"invalid base64url", part[0] + "." + part[1] + ".+/+/", oauth.ErrMalformed},
		{"base64url with padding", good + "==", oauth.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := a.verifier().Principal(t.Context(), tt.token)
			assert.ErrorIs(t, err, tt.want)
			assert.ErrorIs(t, err, oauth.ErrInvalidToken)
			assert.Zero(t, p)
		})
	}
}

// The function of a server author may return any key.
func TestPrincipal_RefusesKeysThatAreNotForSignatures(t *testing.T) {
	t.Parallel()
	short, err := rsa.GenerateKey(rand.Reader, 2040)
	require.NoError(t, err)
	a := newAuthority(t)
	token := a.sign(jwt.SigningMethodRS256, short, nil, nil)
	for name, key := range map[string]crypto.PublicKey{
		"a short key": &short.PublicKey, "nil of a type": (*rsa.PublicKey)(nil), "no modulus": &rsa.PublicKey{}, "a private key": short,
		"a secret": []byte("secret"),
	} {
		v, err := oauth.NewVerifierAt(now, oauth.VerifierConfig{
			Issuer: issuer, Resource: resource, Scopes: []string{"payouts:read"}, Algorithms: []string{"RS256"},
			Keys: func(context.Context, string, string) (crypto.PublicKey, error) { return key, nil },
		})
		require.NoError(t, err)
		_, err = v.Principal(t.Context(), token)
		assert.ErrorIs(t, err, oauth.ErrKey, name)
	}
}

func TestPrincipal_RefusesTextsThatAreNotTokens(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	for _, text := range []string{
		"", ".", "..", "...", "alice", "a.b.c", "e30.e30.", "bnVsbA.bnVsbA.", a.token(nil, nil) + ".x", " " + a.token(nil, nil),
	} {
		p, err := a.verifier().Principal(t.Context(), text)
		assert.ErrorIs(t, err, oauth.ErrInvalidToken, text)
		assert.Zero(t, p)
	}
}

func TestPrincipal_ReportsUnreachableKeysApartFromInvalidTokens(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	_, err := a.verifier().Principal(t.Context(), a.token(set{"kid": "down"}, nil))
	assert.ErrorIs(t, err, guard.ErrUnavailable)
	assert.NotErrorIs(t, err, oauth.ErrInvalidToken)
	assert.NotContains(t, err.Error(), "route")
	_, err = a.verifier().Principal(t.Context(), a.token(set{"kid": "broken"}, nil))
	assert.ErrorIs(t, err, oauth.ErrInvalidToken)
	assert.NotContains(t, err.Error(), "JSON")
}

func TestNew_NeedsTheWholeConfiguration(t *testing.T) {
	t.Parallel()
	whole := oauth.VerifierConfig{Issuer: issuer, Resource: resource, Scopes: []string{"a"}, Keys: newAuthority(t).find}
	_, err := oauth.NewVerifier(whole)
	require.NoError(t, err)
	for name, change := range map[string]func(*oauth.VerifierConfig){
		"no issuer":                 func(c *oauth.VerifierConfig) { c.Issuer = "" },
		"an issuer without a host":  func(c *oauth.VerifierConfig) { c.Issuer = "login" },
		"no resource":               func(c *oauth.VerifierConfig) { c.Resource = "" },
		"a resource without a host": func(c *oauth.VerifierConfig) { c.Resource = "/mcp" },
		"no scopes":                 func(c *oauth.VerifierConfig) { c.Scopes = nil },
		"scopes and permissions":    func(c *oauth.VerifierConfig) { c.Permissions = func(s []string) []string { return s } },
		"no algorithm":              func(c *oauth.VerifierConfig) { c.Algorithms = []string{} },
		"the algorithm none":        func(c *oauth.VerifierConfig) { c.Algorithms = []string{"ES256", "none"} },
		"a shared secret":           func(c *oauth.VerifierConfig) { c.Algorithms = []string{"HS256"} },
		"a long leeway":             func(c *oauth.VerifierConfig) { c.Leeway = time.Hour },
		"a negative leeway":         func(c *oauth.VerifierConfig) { c.Leeway = -1 },
		"no keys":                   func(c *oauth.VerifierConfig) { c.Keys = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole
			change(&c)
			v, err := oauth.NewVerifier(c)
			assert.Error(t, err)
			assert.Nil(t, v)
		})
	}
}
