package accesstoken

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// Leeway bounds the difference between the clocks of issuer and server.
const Leeway = 30 * time.Second

// A KeyFunc returns the public key of the issuer with the identifier kid, or
// nil if there is none. If the keys cannot be reached now, it returns an error
// that wraps [guard.ErrUnavailable]. It must be safe for concurrent use.
//
// A real issuer publishes its keys at its jwks_uri (RFC 8414). Cache them, and
// fetch them again for an unknown kid, but at most every few seconds, because
// anyone can invent a kid.
type KeyFunc func(ctx context.Context, kid string) (*ecdsa.PublicKey, error)

// A Config configures a [Verifier]. All fields except Clock are required.
type Config struct {
	// Issuer is the authorization server's identifier, exactly as in iss.
	Issuer string
	// Resource is this server's address, exactly as in aud (RFC 8707).
	Resource string
	// Scopes become permissions. Other scopes in a token are ignored.
	Scopes []string
	// Keys finds the keys of the issuer.
	Keys KeyFunc
	// Clock returns the current time. Nil means time.Now.
	Clock func() time.Time
}

// A Verifier verifies tokens. Make one with [New]. It is safe for concurrent
// use.
type Verifier struct {
	issuer string
	scopes []string
	keys   KeyFunc
	parser *jwt.Parser
}

// New returns a verifier. The error names every missing or invalid field.
func New(c Config) (*Verifier, error) {
	var errs []error
	if !isAbsolute(c.Issuer) {
		errs = append(errs, errors.New("accesstoken: Issuer is not an absolute address"))
	}
	if !isAbsolute(c.Resource) {
		errs = append(errs, errors.New("accesstoken: Resource is not an absolute address"))
	}
	if len(c.Scopes) == 0 {
		errs = append(errs, errors.New("accesstoken: Scopes is empty"))
	}
	if c.Keys == nil {
		errs = append(errs, errors.New("accesstoken: Keys is nil"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return &Verifier{
		issuer: c.Issuer, scopes: slices.Clone(c.Scopes), keys: c.Keys,
		parser: jwt.NewParser(
			// The token must not choose the algorithm: "none" needs no key, and
			// for HS256 the public key would be the secret.
			jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}),
			jwt.WithStrictDecoding(),
			jwt.WithIssuer(c.Issuer),
			jwt.WithAudience(c.Resource),
			jwt.WithExpirationRequired(),
			jwt.WithIssuedAt(),
			jwt.WithLeeway(Leeway),
			jwt.WithTimeFunc(c.Clock),
		),
	}, nil
}

func isAbsolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme != "" && u.Host != ""
}

// Principal verifies a token and returns its principal. The error matches
// [ErrInvalid] or [guard.ErrUnavailable].
func (v *Verifier) Principal(ctx context.Context, token string) (guard.Principal, error) {
	claims := jwt.MapClaims{} // not a struct, because encoding/json would read SUB as sub
	parsed, err := v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) { return v.key(ctx, t.Header) })
	switch {
	case err != nil && parsed != nil && parsed.Header != nil && parsed.Header["alg"] != jwt.SigningMethodES256.Alg():
		return guard.Principal{}, ErrAlgorithm
	case err != nil:
		return guard.Principal{}, reasonOf(err)
	}
	return v.principal(claims)
}

// key checks the header of a token and returns the key that it names.
func (v *Verifier) key(ctx context.Context, header map[string]any) (*ecdsa.PublicKey, error) {
	if typ, _ := header["typ"].(string); !isAccessToken(typ) {
		return nil, ErrType
	}
	if _, demands := header["crit"]; demands { // RFC 7515 §4.1.11
		return nil, ErrCritical
	}
	kid, _ := header["kid"].(string)
	if kid == "" {
		return nil, ErrKey
	}
	key, err := v.keys(ctx, kid)
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, ErrKey
	}
	return key, nil
}

// isAccessToken reports whether typ is the media type of access tokens. Case
// does not matter, and "application/" may be omitted (RFC 9068 §2.1, RFC 7515
// §4.1.9).
func isAccessToken(typ string) bool {
	return strings.EqualFold(typ, "at+jwt") || strings.EqualFold(typ, "application/at+jwt")
}
