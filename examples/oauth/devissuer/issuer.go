package devissuer

import (
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

// ClaimTenant is the claim with the customer that the subject belongs to.
const ClaimTenant = "tenant"

// An Issuer signs tokens with ES256. It is the [http.Handler] of its endpoints:
// see [Issuer.Paths]. Make one with [New]. It is safe for concurrent use.
type Issuer struct {
	address string
	key     *ecdsa.PrivateKey
	kid     string
	handler http.Handler
}

// New returns an issuer with a new key. Its identifier is address without a
// trailing slash.
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

// Address returns the identifier of the issuer.
func (i *Issuer) Address() string { return i.address }

// KeysAddress returns the address of the public keys.
func (i *Issuer) KeysAddress() string { return i.address + keysPath }

// A Grant holds the claims of a token.
type Grant struct {
	// Subject is the user, within Tenant if that is set.
	Subject, Tenant string
	// Resource is the address of the server that the token is for.
	Resource string
	// Scope holds the scopes, separated by spaces.
	Scope string
	// AuthTime and ACR declare when and how the subject authenticated. Zero
	// omits the claim.
	AuthTime time.Time
	ACR      string
	// Expires is the end of the token.
	Expires time.Time
}

// Token returns a signed token with the claims of g.
func (i *Issuer) Token(g Grant) (string, error) {
	issued := time.Now()
	if g.Expires.Before(issued) {
		issued = g.Expires.Add(-lifetime)
	}
	claims := jwt.MapClaims{
		"iss": i.address, "aud": g.Resource, "sub": g.Subject, "client_id": clientID, "jti": rand.Text(),
		"iat": issued.Unix(), "exp": g.Expires.Unix(),
	}
	for name, value := range map[string]string{"scope": g.Scope, ClaimTenant: g.Tenant, "acr": g.ACR} {
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

// A point holds the coordinates of the public key in base64url, as in a JWK
// (RFC 7518 §6.2.1).
type point struct{ x, y string }

func coordinates(key *ecdsa.PublicKey) (point, error) {
	raw, err := key.Bytes() // the byte 4, x and y (SEC 1 §2.3.3)
	if err != nil {
		return point{}, err
	}
	middle := 1 + (len(raw)-1)/2
	return point{base64.RawURLEncoding.EncodeToString(raw[1:middle]), base64.RawURLEncoding.EncodeToString(raw[middle:])}, nil
}

// thumbprint returns the key's thumbprint (RFC 7638). It is the key's
// identifier.
func (p point) thumbprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, p.x, p.y))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
