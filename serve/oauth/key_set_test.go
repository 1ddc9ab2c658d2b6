package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

const jwks = "https://login.example.com/jwks"

// A publisher answers fetches of a key set.
type publisher struct {
	mu      sync.Mutex
	fetches int
	body    string
	status  int
	err     error
	delay   time.Duration
}

func (p *publisher) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.fetches++
	body, status, err, delay := p.body, p.status, p.err, p.delay
	p.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	if status == http.StatusFound {
		h.Set("Location", body)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (p *publisher) publishes(body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.status, p.err = body, http.StatusOK, nil
}

func (p *publisher) fails(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func (p *publisher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetches
}

// jwk returns a public key as a JWK (RFC 7517).
func jwk(t *testing.T, key crypto.PublicKey, kid string, more map[string]any) map[string]any {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	members := map[string]any{"kid": kid}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		raw, err := k.Bytes()
		require.NoError(t, err)
		half := (len(raw) - 1) / 2
		members["kty"], members["crv"] = "EC", k.Params().Name
		members["x"], members["y"] = encode(raw[1:1+half]), encode(raw[1+half:])
	case *rsa.PublicKey:
		members["kty"], members["n"], members["e"] = "RSA", encode(k.N.Bytes()), encode(big.NewInt(int64(k.E)).Bytes())
	case ed25519.PublicKey:
		members["kty"], members["crv"], members["x"] = "OKP", "Ed25519", encode(k)
	case []byte:
		members["kty"], members["k"] = "oct", encode(k)
	}
	maps.Copy(members, more)
	return members
}

func keySet(t *testing.T, keys ...map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(t, err)
	return string(raw)
}

func newKeySet(t *testing.T, p *publisher) *oauth.KeySet {
	t.Helper()
	k, err := oauth.NewKeySetOver(jwks, p)
	require.NoError(t, err)
	return k
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func TestKeySet_FindsKeysAndFetchesThemOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		p := &publisher{delay: time.Second}
		p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil)))
		k := newKeySet(t, p)
		assert.Zero(t, p.count(), "nothing is fetched before the first token")
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				found, err := k.Key(t.Context(), "a", "ES256")
				assert.NoError(t, err)
				assert.True(t, key.PublicKey.Equal(found))
			})
		}
		callers.Wait()
		assert.Equal(t, 1, p.count())
		time.Sleep(59 * time.Minute)
		_, err := k.Key(t.Context(), "a", "ES256")
		require.NoError(t, err)
		assert.Equal(t, 1, p.count())
	})
}

// Anyone can invent a kid.
func TestKeySet_UnknownIdentifiersFetchRarely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key, next := newKey(t), newKey(t)
		p := &publisher{}
		p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil)))
		k := newKeySet(t, p)
		begun := time.Now()
		for i := range 10_000 {
			found, err := k.Key(t.Context(), fmt.Sprint("invented ", i), "ES256")
			require.NoError(t, err)
			require.Nil(t, found)
			time.Sleep(10 * time.Millisecond)
		}
		assert.LessOrEqual(t, p.count(), int(time.Since(begun)/(10*time.Second))+1)
		assert.Greater(t, p.count(), 5)

		p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil), jwk(t, &next.PublicKey, "b", nil)))
		time.Sleep(10 * time.Second)
		found, err := k.Key(t.Context(), "b", "ES256")
		require.NoError(t, err)
		assert.True(t, next.PublicKey.Equal(found), "a new key counts as soon as it is published")
	})
}

func TestKeySet_AnOutageIsNotAnInvalidToken(t *testing.T) {
	t.Parallel()
	large := `{"keys":[` + strings.Repeat(" ", 2<<20) + `]}`
	for name, p := range map[string]*publisher{
		"no route":         {err: errors.New("no route to host")},
		"an error":         {status: http.StatusInternalServerError, body: "no"},
		"no JSON":          {status: http.StatusOK, body: "<html>"},
		"a broken key":     {status: http.StatusOK, body: `{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}]}`},
		"a slow answer":    {status: http.StatusOK, body: `{"keys":[]}`, delay: time.Minute},
		"a large answer":   {status: http.StatusOK, body: large},
		"a redirect":       {status: http.StatusFound, body: "http://login.example.com/jwks"},
		"an endless chain": {status: http.StatusFound, body: jwks},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := newKeySet(t, p)
				begun := time.Now()
				for range 3 {
					_, err := k.Key(t.Context(), "a", "ES256")
					require.ErrorIs(t, err, guard.ErrUnavailable)
				}
				assert.LessOrEqual(t, time.Since(begun), 5*time.Second)
				key := newKey(t)
				p.mu.Lock()
				p.delay = 0
				p.mu.Unlock()
				p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil)))
				time.Sleep(10 * time.Second)
				found, err := k.Key(t.Context(), "a", "ES256")
				require.NoError(t, err, "the issuer can be reached again")
				assert.NotNil(t, found)
			})
		})
	}
}

func TestKeySet_UsesKnownKeysDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		p := &publisher{}
		p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil)))
		k := newKeySet(t, p)
		_, err := k.Key(t.Context(), "a", "ES256")
		require.NoError(t, err)
		p.fails(errors.New("no route to host"))
		for range 23 {
			time.Sleep(time.Hour)
			found, err := k.Key(t.Context(), "a", "ES256")
			require.NoError(t, err)
			require.NotNil(t, found)
			synctest.Wait()
		}
		_, err = k.Key(t.Context(), "another", "ES256")
		require.ErrorIs(t, err, guard.ErrUnavailable, "it may be a new key")
		time.Sleep(time.Hour)
		_, err = k.Key(t.Context(), "a", "ES256")
		require.ErrorIs(t, err, guard.ErrUnavailable, "a day later it may be revoked")
	})
}

func TestKeySet_ForgetsKeysThatAreNoLongerPublished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		old, next := newKey(t), newKey(t)
		p := &publisher{}
		p.publishes(keySet(t, jwk(t, &old.PublicKey, "old", nil)))
		k := newKeySet(t, p)
		_, err := k.Key(t.Context(), "old", "ES256")
		require.NoError(t, err)
		p.publishes(keySet(t, jwk(t, &next.PublicKey, "next", nil)))
		time.Sleep(time.Hour)
		found, err := k.Key(t.Context(), "old", "ES256")
		require.NoError(t, err)
		assert.Nil(t, found, "the first call after an hour must not pass with a revoked key")
	})
}

func TestKeySet_GivesUpWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		p := &publisher{delay: 4 * time.Second}
		p.publishes(keySet(t, jwk(t, &key.PublicKey, "a", nil)))
		k := newKeySet(t, p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := k.Key(ctx, "a", "ES256")
		require.ErrorIs(t, err, guard.ErrUnavailable)
		time.Sleep(4 * time.Second)
		_, err = k.Key(t.Context(), "a", "ES256")
		require.NoError(t, err, "the fetch went on for the others")
		assert.Equal(t, 1, p.count())
	})
}

// The algorithm of a token and the kind of its key must fit, whatever the
// issuer publishes.
func TestVerifier_TakesOnlyPublicKeysOfTheAlgorithm(t *testing.T) {
	t.Parallel()
	elliptical := newKey(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	short, err := rsa.GenerateKey(rand.Reader, 2040)
	require.NoError(t, err)
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	secret := []byte("a secret that somebody published by mistake")
	p := &publisher{}
	p.publishes(keySet(t,
		jwk(t, &elliptical.PublicKey, "ec", map[string]any{"use": "sig", "alg": "ES256"}),
		jwk(t, &rsaKey.PublicKey, "rsa", nil),
		jwk(t, edPublic, "ed", nil),
		jwk(t, &elliptical.PublicKey, "encryption", map[string]any{"use": "enc"}),
		jwk(t, secret, "secret", nil),
		jwk(t, &rsaKey.PublicKey, "private", map[string]any{"d": base64.RawURLEncoding.EncodeToString(rsaKey.D.Bytes())}),
		jwk(t, &elliptical.PublicKey, "wrapping", map[string]any{"key_ops": []string{"wrapKey"}}),
		jwk(t, &elliptical.PublicKey, "verifying", map[string]any{"key_ops": []string{"verify"}}),
		jwk(t, &rsaKey.PublicKey, "PS256 only", map[string]any{"alg": "PS256"}),
		jwk(t, &rsaKey.PublicKey, "OAEP", map[string]any{"alg": "RSA-OAEP"}),
		jwk(t, &rsaKey.PublicKey, "encrypting", map[string]any{"use": "sig", "key_ops": []string{"encrypt"}}),
		jwk(t, &short.PublicKey, "short", nil),
	))
	a := &authority{t: t, key: elliptical}
	v, err := oauth.NewVerifierAt(now, oauth.VerifierConfig{
		Issuer: issuer, Resource: resource, Permissions: func(scopes []string) []string { return scopes },
		Algorithms: []string{"ES256", "RS256", "PS256", "EdDSA"}, Keys: newKeySet(t, p).Key,
		ScopeClaim: "scp", TenantClaim: "tid",
	})
	require.NoError(t, err)
	tests := []struct {
		name   string
		method jwt.SigningMethod
		key    any
		kid    string
		want   error
	}{
		{"ES256", jwt.SigningMethodES256, elliptical, "ec", nil},
		{"RS256", jwt.SigningMethodRS256, rsaKey, "rsa", nil},
		{"EdDSA", jwt.SigningMethodEdDSA, ed, "ed", nil},
		{"the key of another algorithm", jwt.SigningMethodES256, elliptical, "rsa", oauth.ErrInvalidToken},
		{"a key for encryption", jwt.SigningMethodES256, elliptical, "encryption", oauth.ErrKey},
		{"a key to verify with", jwt.SigningMethodES256, elliptical, "verifying", nil},
		{"a key to wrap others with", jwt.SigningMethodES256, elliptical, "wrapping", oauth.ErrKey},
		{"a key whose private half is published", jwt.SigningMethodRS256, rsaKey, "private", oauth.ErrKey},
		{"the algorithm that the key names", jwt.SigningMethodPS256, rsaKey, "PS256 only", nil},
		{"another algorithm than the key names", jwt.SigningMethodRS256, rsaKey, "PS256 only", oauth.ErrKey},
		{"a key with an algorithm for encryption", jwt.SigningMethodRS256, rsaKey, "OAEP", oauth.ErrKey},
		{"a key whose operation is encryption", jwt.SigningMethodRS256, rsaKey, "encrypting", oauth.ErrKey},
		{"an RSA key of less than 2048 bits", jwt.SigningMethodRS256, short, "short", oauth.ErrKey},
		{"a published secret", jwt.SigningMethodHS256, secret, "secret", oauth.ErrAlgorithm},
		{"an algorithm that is not allowed", jwt.SigningMethodPS384, rsaKey, "rsa", oauth.ErrAlgorithm},
		{"no signature", jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "ec", oauth.ErrAlgorithm},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			token := a.sign(tt.method, tt.key, set{"kid": tt.kid}, set{"scp": []string{"mail:read", "mail:send"}, "tid": "acme"})
			got, err := v.Principal(t.Context(), token)
			if tt.want != nil {
				require.ErrorIs(t, err, tt.want)
				require.ErrorIs(t, err, oauth.ErrInvalidToken)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"mail:read", "mail:send"}, got.Permissions)
			assert.Equal(t, "acme", got.Tenant)
			assert.False(t, got.Human)
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A redirect must not make the server fetch keys from services of its machine.
func TestKeySet_DoesNotLeaveHTTPS(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	body := keySet(t, jwk(t, &key.PublicKey, kid, nil))
	for address, fetched := range map[string]bool{
		"https://keys.example.com/jwks": true, "http://127.0.0.1:9000/jwks": false, "http://localhost/jwks": false,
	} {
		local := transport(func(r *http.Request) (*http.Response, error) {
			status, h := http.StatusOK, http.Header{}
			if r.URL.String() == jwks {
				status = http.StatusFound
				h.Set("Location", address)
			}
			return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		k, err := oauth.NewKeySetOver(jwks, local)
		require.NoError(t, err)
		found, err := k.Key(t.Context(), kid, "ES256")
		assert.Equal(t, fetched, err == nil && found != nil, address)
	}
}

// RFC 7517 §5: a key that is not understood is ignored, and the others count.
func TestKeySet_IgnoresKeysThatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	for name, strange := range map[string]map[string]any{
		"another kty":           {"kid": "x", "kty": "PQ"},
		"another curve":         {"kid": "x", "kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"},
		"another use":           jwk(t, &key.PublicKey, "x", map[string]any{"use": "tls"}),
		"another operation":     jwk(t, &key.PublicKey, "x", map[string]any{"key_ops": []string{"custom"}}),
		"another algorithm":     jwk(t, &key.PublicKey, "x", map[string]any{"alg": "ES999"}),
		"a broken coordinate":   jwk(t, &key.PublicKey, "x", map[string]any{"x": "!"}),
		"a point off the curve": jwk(t, &key.PublicKey, "x", map[string]any{"x": "AA"}),
		"a broken certificate":  jwk(t, &key.PublicKey, "x", map[string]any{"x5c": []string{"AAAA"}}),
		"no modulus":            {"kid": "x", "kty": "RSA", "e": "AQAB"},
		"a number as kid":       jwk(t, &key.PublicKey, "x", map[string]any{"kid": 7}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &publisher{}
			p.publishes(keySet(t, strange, jwk(t, &key.PublicKey, kid, nil)))
			got, err := newKeySet(t, p).Key(t.Context(), kid, "ES256")
			require.NoError(t, err)
			assert.NotNil(t, got)
		})
	}
}

func TestVerifier_AnyTypeAcceptsIssuersWithoutRFC9068(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	v, err := oauth.NewVerifierAt(now, oauth.VerifierConfig{
		Issuer: issuer, Resource: resource, Scopes: []string{"payouts:read"}, Keys: a.find, AnyType: true,
	})
	require.NoError(t, err)
	for _, typ := range []any{"JWT", nil, "at+jwt"} {
		p, err := v.Principal(t.Context(), a.token(set{"typ": typ}, set{"tenant": 7}))
		require.NoError(t, err)
		assert.Empty(t, p.Tenant, "without TenantClaim the claim does not count")
	}
}

func TestNewKeySet_RefusesUnsafeAddresses(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		jwks: true, "http://127.0.0.1:8080/jwks": true,
		"http://login.example.com/jwks": false, "": false, "/jwks": false, "file:///etc/jwks": false, "https://": false,
		"https://:443/jwks": false, "https://user:secret@login.example.com/jwks": false,
	} {
		k, err := oauth.NewKeySet(address)
		assert.Equal(t, ok, err == nil, address)
		assert.Equal(t, ok, k != nil, address)
	}
}
