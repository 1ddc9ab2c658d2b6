package accesstoken

import (
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// The claims that become the principal. The parser checks the others against
// the configuration.
const (
	claimSubject  = "sub"
	claimIssuedAt = "iat"
	claimScope    = "scope" // RFC 8693 §4.2
	claimAuthTime = "auth_time"
	claimACR      = "acr"
	// ClaimTenant names the customer that the subject belongs to. There is no
	// standard name: authorization servers use tid, org_id or a URI.
	ClaimTenant = "tenant"
)

// latest is the last second of the year 9999, in seconds since 1970.
const latest = 253402300799

// principal reads the claims of a token that the parser has verified.
func (v *Verifier) principal(claims jwt.MapClaims) (guard.Principal, error) {
	read := reader{claims: claims}
	p := guard.Principal{
		Issuer:      v.issuer,
		Tenant:      read.text(ClaimTenant),
		Subject:     read.text(claimSubject),
		Permissions: v.permissions(read.text(claimScope)),
		AuthTime:    read.time(claimAuthTime),
		ACR:         read.text(claimACR),
	}
	if read.time(claimIssuedAt).IsZero() || p.Subject == "" || read.wrong {
		return guard.Principal{}, ErrClaims
	}
	return p, nil
}

// permissions returns the scopes that this server knows, in the order of the
// configuration.
func (v *Verifier) permissions(scope string) []string {
	granted := strings.Split(scope, " ")
	var held []string
	for _, known := range v.scopes {
		if slices.Contains(granted, known) {
			held = append(held, known)
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
