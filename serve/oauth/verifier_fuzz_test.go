package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/serve/oauth"
)

// Property: a text is valid only if it is exactly what the issuer signed.
func FuzzText(f *testing.F) {
	a := newAuthority(f)
	v := a.verifier()
	good := a.token(nil, nil)
	signed := good[:strings.LastIndex(good, ".")]
	part := strings.Split(good, ".")
	for _, seed := range []string{
		good, "", "..", signed + ".", part[0] + "." + part[1], good + "=", "e30." + part[1] + "." + part[2],
		base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt","kid":"first"}`)) + "." + part[1] + ".",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := v.Principal(t.Context(), text)
		if err == nil && text[:strings.LastIndex(text, ".")] != signed {
			t.Errorf("a token that was not signed has the principal %q", p.Subject)
		}
		if err != nil && !p.IsAnonymous() {
			t.Errorf("an invalid token has the principal %q", p.Subject)
		}
	})
}

// Property: signed claims are valid only if they are from the issuer, for this
// server and about a subject. Only known scopes become permissions.
func FuzzClaims(f *testing.F) {
	a := newAuthority(f)
	v := a.verifier()
	for _, change := range []map[string]any{
		nil, {"aud": []any{resource, 1}}, {"sub": ""}, {"auth_time": 1e300}, {"scope": "a b"}, {"exp": -1},
	} {
		raw, err := json.Marshal(with(validClaims(), change))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`null`))
	f.Add([]byte(`{"sub":"a","sub":null}`))
	known := []string{"account:read", "payouts:read", "payouts:release"}
	f.Fuzz(func(t *testing.T, raw []byte) {
		encode := base64.RawURLEncoding.EncodeToString
		text := encode([]byte(`{"alg":"ES256","typ":"at+jwt","kid":"first"}`)) + "." + encode(raw)
		signature, err := jwt.SigningMethodES256.Sign(text, a.key)
		if err != nil {
			t.Fatal(err)
		}
		p, err := v.Principal(t.Context(), text+"."+encode(signature))
		if err != nil {
			if !p.IsAnonymous() || !errors.Is(err, oauth.ErrInvalidToken) {
				t.Errorf("%v: %+v", err, p)
			}
			return
		}
		var claims map[string]any
		if json.Unmarshal(raw, &claims) != nil || claims["iss"] != issuer || claims["sub"] != p.Subject || p.IsAnonymous() || p.Human {
			t.Errorf("%s has the principal %+v", raw, p)
		}
		if aud, ok := claims["aud"].([]any); claims["aud"] != resource && (!ok || !slices.Contains(aud, any(resource))) {
			t.Errorf("%s is for another resource", raw)
		}
		if exp, ok := claims["exp"].(float64); !ok || exp < float64(now.Add(-oauth.DefaultLeeway).Unix()) {
			t.Errorf("%s has expired", raw)
		}
		for _, permission := range p.Permissions {
			if !slices.Contains(known, permission) {
				t.Errorf("%q is not a permission", permission)
			}
		}
	})
}
