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

// Leeway is how far the clocks of issuer and server may be apart.
const Leeway = 30 * time.Second

// A KeyFunc returns the issuer's public key that is called kid, nil where there
// is none. An error that wraps [guard.ErrUnavailable] says that it cannot be found
// out now. It is called by many goroutines at once. An issuer elsewhere publishes
// its keys at its jwks_uri (RFC 8414): keep them, fetch again where a kid is not
// known, and not more often than every few seconds, for anybody can invent one.
type KeyFunc func(ctx context.Context, kid string) (*ecdsa.PublicKey, error)

// A Config says which tokens count. All of it is needed but Clock.
type Config struct {
	// Issuer is the authorization server's identifier, exactly as in iss.
	Issuer string
	// Resource is this server's address, exactly as in aud (RFC 8707).
	Resource string
	// Scopes are those that become permissions; any other in a token is ignored.
	Scopes []string
	// Keys finds the issuer's keys.
	Keys KeyFunc
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
}

// A Verifier verifies tokens. Make one with [New]. It is safe for concurrent use.
type Verifier struct {
	issuer string
	scopes []string
	keys   KeyFunc
	parser *jwt.Parser
}

// New makes a verifier. The error names everything that is missing.
func New(c Config) (*Verifier, error) {
	var errs []error
	if !isAbsolute(c.Issuer) {
		errs = append(errs, errors.New("accesstoken: the issuer is no absolute address"))
	}
	if !isAbsolute(c.Resource) {
		errs = append(errs, errors.New("accesstoken: the resource is no absolute address"))
	}
	if len(c.Scopes) == 0 {
		errs = append(errs, errors.New("accesstoken: there is no scope"))
	}
	if c.Keys == nil {
		errs = append(errs, errors.New("accesstoken: there is no way to find keys"))
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
			// Never the token's choice: with it, "none" would need no key, and with HS256
			// the public key would be the secret.
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

// Principal returns whom a token stands for. Its error is one of this package's,
// which are all [ErrInvalid], or wraps [guard.ErrUnavailable].
func (v *Verifier) Principal(ctx context.Context, token string) (guard.Principal, error) {
	claims := jwt.MapClaims{} // not a struct: encoding/json would take SUB for sub
	parsed, err := v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) { return v.key(ctx, t.Header) })
	switch {
	case err != nil && parsed != nil && parsed.Header != nil && parsed.Header["alg"] != jwt.SigningMethodES256.Alg():
		return guard.Principal{}, ErrAlgorithm
	case err != nil:
		return guard.Principal{}, told(err)
	}
	return v.principal(claims)
}

// key finds the key of a token whose header is one of an access token.
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

// isAccessToken compares media types, in which the case does not matter and
// "application/" may be left out (RFC 9068 §2.1, RFC 7515 §4.1.9).
func isAccessToken(typ string) bool {
	return strings.EqualFold(typ, "at+jwt") || strings.EqualFold(typ, "application/at+jwt")
}
