package oauth

import (
	"context"
	"crypto"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/guard"
)

// defaultLeeway bounds the difference between the issuer's and the server's
// clocks.
const defaultLeeway = 30 * time.Second

// maxLeeway is the largest leeway that a [VerifierConfig] may have.
const maxLeeway = 5 * time.Minute

// A VerifierConfig configures a [Verifier]. Issuer, Resource, Scopes and Keys
// are required.
type VerifierConfig struct {
	// Issuer is the authorization server's identifier, exactly as in iss.
	Issuer string
	// Resource is this server's address, exactly as in aud (RFC 8707).
	Resource string
	// Scopes are the scopes that become permissions of the same name. Other
	// scopes in a token are ignored.
	Scopes []string
	// Permissions replaces Scopes: it returns the permissions for the scopes of
	// a token. It must be safe for concurrent use.
	Permissions func(scopes []string) []string
	// Keys returns the public key of the issuer with the identifier kid for
	// signatures with alg, which is one of Algorithms, or nil if there is none.
	// [KeySet.Key] finds the keys that an issuer publishes. The key must be an
	// [*ecdsa.PublicKey], an [*rsa.PublicKey] of at least 2048 bits, or an
	// [ed25519.PublicKey]; any other counts as none. If the keys cannot be
	// reached right now, the function returns an error that wraps
	// [guard.ErrUnavailable]. It must be safe for concurrent use. Anyone can
	// invent a kid.
	Keys func(ctx context.Context, kid, alg string) (crypto.PublicKey, error)
	// Algorithms are the signature algorithms that the issuer uses: RS256,
	// RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA. Any
	// other is an error, including none and those with a shared secret. Nil
	// means ES256 only.
	Algorithms []string
	// AnyType also accepts tokens whose typ is not at+jwt, because some issuers
	// do not follow RFC 9068. Then an ID token for this audience counts as an
	// access token, so Resource must not be the client ID of an application.
	AnyType bool
	// ScopeClaim is the claim with the scopes: a string with spaces between
	// them (RFC 8693 §4.2), or an array of strings. Empty means scope.
	ScopeClaim string
	// TenantClaim is the claim with the customer that the subject belongs to.
	// There is no standard name: authorization servers use tid, org_id or a
	// URI. Empty means that principals have no tenant.
	TenantClaim string
	// Leeway is the accepted difference between the issuer's and the server's
	// clocks, at most 5 minutes. Zero means 30 seconds.
	Leeway time.Duration
}

// A Verifier verifies tokens. [NewVerifier] returns one. It is safe for
// concurrent use.
type Verifier struct {
	config VerifierConfig
	parser *jwt.Parser
}

// NewVerifier returns a verifier. The error names every missing or invalid
// field.
func NewVerifier(c VerifierConfig) (*Verifier, error) { return newVerifier(c, time.Now) }

func newVerifier(c VerifierConfig, clock func() time.Time) (*Verifier, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	return &Verifier{
		config: c,
		parser: jwt.NewParser(
			// The token must not choose the algorithm: "none" needs no key, and
			// for HS256 the public key would be the secret.
			jwt.WithValidMethods(c.Algorithms),
			jwt.WithStrictDecoding(),
			jwt.WithIssuer(c.Issuer),
			jwt.WithAudience(c.Resource),
			jwt.WithExpirationRequired(),
			jwt.WithIssuedAt(),
			jwt.WithLeeway(c.Leeway),
			jwt.WithTimeFunc(clock),
		),
	}, nil
}

// supported are the algorithms with a public key.
var supported = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

func (c VerifierConfig) check() error {
	var errs []error
	wrong := func(is bool, message string) {
		if is {
			errs = append(errs, errors.New("oauth: "+message))
		}
	}
	wrong(!isAbsolute(c.Issuer), "Issuer is not an absolute address; pass the value that tokens have in iss")
	wrong(!isAbsolute(c.Resource), "Resource is not an absolute address; pass the value that tokens have in aud")
	wrong(len(c.Scopes) == 0 && c.Permissions == nil, "Scopes is empty; list the scopes that become permissions, or set Permissions")
	wrong(len(c.Scopes) > 0 && c.Permissions != nil, "Scopes and Permissions are both set; remove one")
	wrong(c.Keys == nil, "Keys is nil; pass KeySet.Key or a function of your own")
	wrong(c.Algorithms != nil && len(c.Algorithms) == 0, "Algorithms is empty; nil means ES256")
	wrong(slices.ContainsFunc(c.Algorithms, func(a string) bool { return !slices.Contains(supported, a) }),
		"Algorithms has an entry that is not allowed; use "+strings.Join(supported, ", "))
	wrong(c.Leeway < 0 || c.Leeway > maxLeeway, "Leeway is not between 0 and 5 minutes")
	return errors.Join(errs...)
}

func (c VerifierConfig) withDefaults() VerifierConfig {
	c.Scopes = slices.Clone(c.Scopes)
	c.Algorithms = slices.Clone(c.Algorithms)
	if c.Algorithms == nil {
		c.Algorithms = []string{"ES256"}
	}
	if c.ScopeClaim == "" {
		c.ScopeClaim = claimScope
	}
	if c.Permissions == nil {
		c.Permissions = c.known
	}
	if c.Leeway == 0 {
		c.Leeway = defaultLeeway
	}
	return c
}

func isAbsolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme != "" && u.Host != ""
}

// Principal verifies a token and returns its principal, which is an agent. The
// error matches [ErrInvalidToken] or [guard.ErrUnavailable].
func (v *Verifier) Principal(ctx context.Context, token string) (guard.Principal, error) {
	claims := jwt.MapClaims{} // not a struct, because encoding/json would read SUB as sub
	parsed, err := v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		return v.key(ctx, t.Header)
	})
	switch {
	case err != nil && parsed != nil && parsed.Header != nil && !v.allows(parsed.Header["alg"]):
		return guard.Principal{}, algorithmError{v.config.Algorithms}
	case err != nil:
		return guard.Principal{}, reasonOf(err)
	}
	return v.principal(claims)
}

func (v *Verifier) allows(algorithm any) bool {
	name, ok := algorithm.(string)
	return ok && slices.Contains(v.config.Algorithms, name)
}

// key checks the header of a token and returns the key that it names. The
// parser checks that the key fits the algorithm.
func (v *Verifier) key(ctx context.Context, header map[string]any) (crypto.PublicKey, error) {
	if typ, _ := header["typ"].(string); !v.config.AnyType && !isAccessToken(typ) {
		return nil, errType
	}
	if _, demands := header["crit"]; demands { // RFC 7515 §4.1.11
		return nil, errCritical
	}
	kid, _ := header["kid"].(string)
	if kid == "" {
		return nil, errKey
	}
	alg, _ := header["alg"].(string)
	key, err := v.config.Keys(ctx, kid, alg)
	if err != nil {
		return nil, err
	}
	if !isForSignatures(key) {
		return nil, errKey
	}
	return key, nil
}

// isAccessToken reports whether typ is the media type of access tokens. Case
// does not matter, and "application/" may be omitted (RFC 9068 §2.1, RFC 7515
// §4.1.9).
func isAccessToken(typ string) bool {
	return strings.EqualFold(typ, "at+jwt") || strings.EqualFold(typ, "application/at+jwt")
}
