package accesstoken_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
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

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/examples/oauth/accesstoken"
)

const (
	issuer   = "https://login.example.com"
	resource = "https://payouts.example.com/mcp"
	kid      = "first"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// An authority signs tokens, with claims and headers of a test's choice.
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

func (a *authority) verifier() *accesstoken.Verifier {
	a.t.Helper()
	v, err := accesstoken.New(accesstoken.Config{
		Issuer: issuer, Resource: resource, Scopes: []string{"account:read", "payouts:read", "payouts:release"},
		Keys:  a.find,
		Clock: func() time.Time { return now },
	})
	require.NoError(a.t, err)
	return v
}

func (a *authority) find(_ context.Context, name string) (*ecdsa.PublicKey, error) {
	switch name {
	case kid:
		return &a.key.PublicKey, nil
	case "down":
		return nil, fmt.Errorf("no route to host: %w", guard.ErrUnavailable)
	case "broken":
		return nil, errors.New("the set is no JSON")
	}
	return nil, nil //nolint:nilnil // as the contract of a KeyFunc says
}

func validClaims() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": issuer, "aud": resource, "sub": "alice", "client_id": "host", "jti": "1",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"scope": "payouts:read account:read", "auth_time": now.Add(-time.Hour).Unix(), "acr": "pwd",
	}
}

func validHeader() map[string]any { return map[string]any{"typ": "at+jwt", "kid": kid} }

// sign returns a token. A nil value removes what is there.
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

func TestATokenStandsForAPrincipal(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	base := guard.Principal{
		Issuer: issuer, Subject: "alice", Permissions: []string{"account:read", "payouts:read"}, AuthTime: now.Add(-time.Hour).Local(), ACR: "pwd",
	}
	tests := []struct {
		name           string
		header, claims set
		want           func(*guard.Principal)
	}{
		{"with what it says", nil, nil, func(*guard.Principal) {}},
		{"a tenant", nil, set{"tenant": "acme"}, func(p *guard.Principal) { p.Tenant = "acme" }},
		{"no scope is no permission", nil, set{"scope": nil}, func(p *guard.Principal) { p.Permissions = nil }},
		{"a scope that is not known is none", nil, set{"scope": "admin payouts:read payouts payouts:READ"}, func(p *guard.Principal) { p.Permissions = []string{"payouts:read"} }},
		{"a scope counts once", nil, set{"scope": "payouts:read payouts:read"}, func(p *guard.Principal) { p.Permissions = []string{"payouts:read"} }},
		{"nobody knows when it authenticated", nil, set{"auth_time": nil, "acr": nil}, func(p *guard.Principal) { p.AuthTime, p.ACR = time.Time{}, "" }},
		{"one of several audiences is this server", nil, set{"aud": []string{"https://other.example.com", resource}}, func(*guard.Principal) {}},
		{"the type as a whole media type", set{"typ": "Application/AT+JWT"}, nil, func(*guard.Principal) {}},
		{"no nbf, which RFC 9068 does not ask for", nil, set{"nbf": nil}, func(*guard.Principal) {}},
		{"clocks a little apart: expired", nil, set{"exp": now.Add(-29 * time.Second).Unix()}, func(*guard.Principal) {}},
		{"clocks a little apart: early", nil, set{"nbf": now.Add(29 * time.Second).Unix(), "iat": now.Add(29 * time.Second).Unix()}, func(*guard.Principal) {}},
		{"addresses of keys in the header are not looked at", set{"jku": "https://evil.example.com/jwks", "x5u": "https://evil.example.com"}, nil, func(*guard.Principal) {}},
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

func TestWhatATokenCannotBe(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	tests := []struct {
		name           string
		header, claims set
		want           error
	}{
		{"another issuer's", nil, set{"iss": "https://evil.example.com"}, accesstoken.ErrIssuer},
		{"the issuer's with a slash", nil, set{"iss": issuer + "/"}, accesstoken.ErrIssuer},
		{"nobody's", nil, set{"iss": nil}, accesstoken.ErrClaims},
		{"of a list of issuers", nil, set{"iss": []string{issuer}}, accesstoken.ErrClaims},
		{"for another resource", nil, set{"aud": "https://other.example.com/mcp"}, accesstoken.ErrAudience},
		{"for the resource's host", nil, set{"aud": "https://payouts.example.com"}, accesstoken.ErrAudience},
		{"for other resources", nil, set{"aud": []string{"https://a.example.com", "https://b.example.com"}}, accesstoken.ErrAudience},
		{"for no resource", nil, set{"aud": nil}, accesstoken.ErrClaims},
		{"for an empty list of resources", nil, set{"aud": []string{}}, accesstoken.ErrClaims},
		{"for a number", nil, set{"aud": 1}, accesstoken.ErrClaims},
		{"for a list with a number in it", nil, set{"aud": []any{resource, 1}}, accesstoken.ErrClaims},
		{"expired", nil, set{"exp": now.Add(-30 * time.Second).Unix()}, accesstoken.ErrExpired},
		{"one that never expires", nil, set{"exp": nil}, accesstoken.ErrClaims},
		{"one that expires at zero", nil, set{"exp": 0}, accesstoken.ErrClaims},
		{"one that expires some day", nil, set{"exp": "2030-01-01"}, accesstoken.ErrClaims},
		{"one that does not count yet", nil, set{"nbf": now.Add(31 * time.Second).Unix()}, accesstoken.ErrTooEarly},
		{"one with a text for nbf", nil, set{"nbf": "soon"}, accesstoken.ErrClaims},
		{"of the future", nil, set{"iat": now.Add(31 * time.Second).Unix()}, accesstoken.ErrTooEarly},
		{"of no time", nil, set{"iat": nil}, accesstoken.ErrClaims},
		{"of time zero", nil, set{"iat": 0}, accesstoken.ErrClaims},
		{"about nobody", nil, set{"sub": nil}, accesstoken.ErrClaims},
		{"about an empty subject", nil, set{"sub": ""}, accesstoken.ErrClaims},
		{"about a number", nil, set{"sub": 7}, accesstoken.ErrClaims},
		{"about a subject in other letters", nil, set{"sub": nil, "SUB": "alice"}, accesstoken.ErrClaims},
		{"one whose scope is a list", nil, set{"scope": []string{"payouts:read"}}, accesstoken.ErrClaims},
		{"one whose acr is a list", nil, set{"acr": []string{"mfa"}}, accesstoken.ErrClaims},
		{"one whose tenant is a number", nil, set{"tenant": 7}, accesstoken.ErrClaims},
		{"one whose auth_time is a text", nil, set{"auth_time": "now"}, accesstoken.ErrClaims},
		{"one whose auth_time is before time", nil, set{"auth_time": -1}, accesstoken.ErrClaims},
		{"one whose auth_time is beyond time", nil, set{"auth_time": 1e300}, accesstoken.ErrClaims},
		{"an ID token", set{"typ": "JWT"}, nil, accesstoken.ErrType},
		{"of no type", set{"typ": nil}, nil, accesstoken.ErrType},
		{"of a type that only begins so", set{"typ": "at+jwt+x"}, nil, accesstoken.ErrType},
		{"signed with a key without a name", set{"kid": nil}, nil, accesstoken.ErrKey},
		{"signed with a key that is not there", set{"kid": "second"}, nil, accesstoken.ErrKey},
		{"signed with a key of a numeric name", set{"kid": 1}, nil, accesstoken.ErrKey},
		{"one that demands what is not known", set{"crit": []string{"b64"}, "b64": false}, nil, accesstoken.ErrCritical},
		{"one whose demands are none", set{"crit": []string{}}, nil, accesstoken.ErrCritical},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := a.verifier().Principal(t.Context(), a.token(tt.header, tt.claims))
			assert.Equal(t, tt.want, err)
			assert.ErrorIs(t, err, accesstoken.ErrInvalid)
			assert.Zero(t, p)
		})
	}
}

func TestASignatureCannotBe(t *testing.T) {
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
		{"of another key under the same name", other.token(nil, nil), accesstoken.ErrSignature},
		{"none", a.sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, nil), accesstoken.ErrAlgorithm},
		{"none, in other letters", encode([]byte(`{"alg":"nOnE","typ":"at+jwt","kid":"first"}`)) + "." + part[1] + ".", accesstoken.ErrAlgorithm},
		{"HS256 with the public key's DER as the secret", a.sign(jwt.SigningMethodHS256, public, nil, nil), accesstoken.ErrAlgorithm},
		{"HS256 with the public key's point as the secret", a.sign(jwt.SigningMethodHS256, point, nil, nil), accesstoken.ErrAlgorithm},
		{"EdDSA", a.sign(jwt.SigningMethodEdDSA, edwards, nil, nil), accesstoken.ErrAlgorithm},
		{"ES384", a.sign(jwt.SigningMethodES384, p384, nil, nil), accesstoken.ErrAlgorithm},
		{"of no algorithm", encode([]byte(`{"typ":"at+jwt","kid":"first"}`)) + "." + part[1] + "." + part[2], accesstoken.ErrAlgorithm},
		{"of a numeric algorithm", encode([]byte(`{"alg":256,"typ":"at+jwt","kid":"first"}`)) + "." + part[1] + "." + part[2], accesstoken.ErrAlgorithm},
		{"left out", part[0] + "." + part[1] + ".", accesstoken.ErrSignature},
		{"of other claims", part[0] + "." + encode([]byte(`{"iss":"`+issuer+`","aud":"`+resource+`","sub":"bob","exp":4000000000,"iat":1}`)) + "." + part[2], accesstoken.ErrSignature},
		{"zero", part[0] + "." + part[1] + "." + encode(make([]byte, 64)), accesstoken.ErrSignature},
		{"cut", part[0] + "." + part[1] + "." + part[2][:40], accesstoken.ErrSignature},
		{"no base64url", part[0] + "." + part[1] + ".+/+/", accesstoken.ErrMalformed},
		{"padded", good + "==", accesstoken.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := a.verifier().Principal(t.Context(), tt.token)
			assert.Equal(t, tt.want, err)
			assert.Zero(t, p)
		})
	}
}

func TestWhatIsNoToken(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	for _, text := range []string{"", ".", "..", "...", "alice", "a.b.c", "e30.e30.", "bnVsbA.bnVsbA.", a.token(nil, nil) + ".x", " " + a.token(nil, nil)} {
		p, err := a.verifier().Principal(t.Context(), text)
		assert.ErrorIs(t, err, accesstoken.ErrInvalid, text)
		assert.Zero(t, p)
	}
}

func TestKeysThatCannotBeReachedAreNotATokensFault(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	_, err := a.verifier().Principal(t.Context(), a.token(set{"kid": "down"}, nil))
	assert.ErrorIs(t, err, guard.ErrUnavailable)
	assert.NotErrorIs(t, err, accesstoken.ErrInvalid)
	assert.NotContains(t, err.Error(), "route")
	_, err = a.verifier().Principal(t.Context(), a.token(set{"kid": "broken"}, nil))
	assert.ErrorIs(t, err, accesstoken.ErrInvalid)
	assert.NotContains(t, err.Error(), "JSON")
}

func TestAVerifierNeedsAllOfItsConfiguration(t *testing.T) {
	t.Parallel()
	whole := accesstoken.Config{Issuer: issuer, Resource: resource, Scopes: []string{"a"}, Keys: newAuthority(t).find}
	_, err := accesstoken.New(whole)
	require.NoError(t, err)
	for name, change := range map[string]func(*accesstoken.Config){
		"no issuer":                    func(c *accesstoken.Config) { c.Issuer = "" },
		"an issuer that is no address": func(c *accesstoken.Config) { c.Issuer = "login" },
		"no resource":                  func(c *accesstoken.Config) { c.Resource = "" },
		"a resource without a host":    func(c *accesstoken.Config) { c.Resource = "/mcp" },
		"no scopes":                    func(c *accesstoken.Config) { c.Scopes = nil },
		"no keys":                      func(c *accesstoken.Config) { c.Keys = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole
			change(&c)
			v, err := accesstoken.New(c)
			assert.Error(t, err)
			assert.Nil(t, v)
		})
	}
}
