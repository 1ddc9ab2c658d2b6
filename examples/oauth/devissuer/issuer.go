package devissuer

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// An Issuer signs tokens with ES256, and is the [http.Handler] of its endpoints.
// Make one with [New]. It is safe for concurrent use.
type Issuer struct {
	address string
	key     *ecdsa.PrivateKey
	kid     string
	handler http.Handler
}

// New makes an issuer whose identifier is address, without a slash at its end.
func New(address string) (*Issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	i := &Issuer{address: strings.TrimSuffix(address, "/"), key: key}
	point, err := coordinates(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	i.kid = point.thumbprint()
	i.handler, err = i.routes(point)
	return i, err
}

// Address returns the issuer's identifier.
func (i *Issuer) Address() string { return i.address }

// Key returns the public key that is called kid, nil where there is none.
func (i *Issuer) Key(_ context.Context, kid string) (*ecdsa.PublicKey, error) {
	if kid != i.kid {
		return nil, nil //nolint:nilnil // nothing went wrong: there is no such key
	}
	return &i.key.PublicKey, nil
}

// A Grant is what a token says.
type Grant struct {
	// Subject is whom it is about, within Tenant where there is one.
	Subject, Tenant string
	// Resource is whom it is for.
	Resource string
	// Scope is what it permits, with blanks between.
	Scope string
	// AuthTime is when the subject authenticated, and ACR how. Zero: it is not said.
	AuthTime time.Time
	ACR      string
	// Expires is when it ends.
	Expires time.Time
}

// Token signs a grant.
func (i *Issuer) Token(g Grant) (string, error) {
	issued := time.Now()
	if g.Expires.Before(issued) {
		issued = g.Expires.Add(-lifetime)
	}
	claims := jwt.MapClaims{
		"iss": i.address, "aud": g.Resource, "sub": g.Subject, "client_id": clientID, "jti": rand.Text(),
		"iat": issued.Unix(), "exp": g.Expires.Unix(),
	}
	for name, value := range map[string]string{"scope": g.Scope, "tenant": g.Tenant, "acr": g.ACR} {
		if value != "" {
			claims[name] = value
		}
	}
	if !g.AuthTime.IsZero() {
		claims["auth_time"] = g.AuthTime.Unix()
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["typ"], token.Header["kid"] = "at+jwt", i.kid
	return token.SignedString(i.key)
}

// A point is the public key as its JWK has it (RFC 7518 §6.2.1), in base64url.
type point struct{ x, y string }

func coordinates(key *ecdsa.PublicKey) (point, error) {
	raw, err := key.Bytes() // 4, x and y (SEC 1 §2.3.3)
	if err != nil {
		return point{}, err
	}
	middle := 1 + (len(raw)-1)/2
	return point{base64.RawURLEncoding.EncodeToString(raw[1:middle]), base64.RawURLEncoding.EncodeToString(raw[middle:])}, nil
}

// thumbprint is that of RFC 7638, by which the key is called.
func (p point) thumbprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, p.x, p.y))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
