package oauth

import (
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/guard"
)

// The claims that become the principal. The parser checks the others against
// the configuration.
const (
	claimSubject   = "sub"
	claimIssuedAt  = "iat"
	claimExpires   = "exp"
	claimNotBefore = "nbf"
	claimScope     = "scope" // RFC 8693 §4.2
	claimAuthTime  = "auth_time"
	claimACR       = "acr"
)

// latest is the last second of the year 9999, in seconds since 1970.
const latest = 253402300799

// principal reads the claims of a token that the parser verified.
func (v *Verifier) principal(claims jwt.MapClaims) (guard.Principal, error) {
	read := reader{claims: claims}
	p := guard.Principal{
		Issuer:      v.config.Issuer,
		Subject:     read.text(claimSubject),
		Permissions: v.config.Permissions(read.list(v.config.ScopeClaim)),
		AuthTime:    read.time(claimAuthTime),
		ACR:         read.text(claimACR),
	}
	if v.config.TenantClaim != "" {
		p.Tenant = read.text(v.config.TenantClaim)
	}
	read.bound(claimExpires, claimNotBefore)
	if read.time(claimIssuedAt).IsZero() || p.Subject == "" || read.wrong {
		return guard.Principal{}, errClaims
	}
	return p, nil
}

// known returns those of the granted scopes that this server knows, in the
// order of the configuration.
func (c VerifierConfig) known(granted []string) []string {
	var held []string
	for _, scope := range c.Scopes {
		if slices.Contains(granted, scope) {
			held = append(held, scope)
		}
	}
	return held
}

// A reader reads claims. A missing claim is zero; a claim of the wrong type is
// zero and sets wrong.
type reader struct {
	claims jwt.MapClaims
	wrong  bool
}

func (r *reader) text(name string) string {
	value, there := r.claims[name]
	text, ok := value.(string)
	if there && !ok {
		r.wrong = true
	}
	return text
}

// list reads a string with spaces, or an array of strings.
func (r *reader) list(name string) []string {
	values, isArray := r.claims[name].([]any)
	if !isArray {
		return strings.Fields(r.text(name))
	}
	var list []string
	for _, value := range values {
		text, ok := value.(string)
		r.wrong = r.wrong || !ok
		list = append(list, text)
	}
	return list
}

// bound refuses times after the year 9999. The parser has already compared
// them, but a larger number can overflow, and then looks like a time in the
// past.
func (r *reader) bound(names ...string) {
	for _, name := range names {
		if seconds, ok := r.claims[name].(float64); ok && seconds > latest {
			r.wrong = true
		}
	}
}

// time reads a NumericDate (RFC 7519 §2) between 1970 and the year 10000.
func (r *reader) time(name string) time.Time {
	value, there := r.claims[name]
	if !there {
		return time.Time{}
	}
	seconds, ok := value.(float64)
	if !ok || seconds <= 0 || seconds > latest {
		r.wrong = true
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
