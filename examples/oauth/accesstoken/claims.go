package accesstoken

import (
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// The claims that are read, beside those that the parser holds to the
// configuration.
const (
	claimSubject  = "sub"
	claimIssuedAt = "iat"
	claimScope    = "scope" // RFC 8693 §4.2
	claimAuthTime = "auth_time"
	claimACR      = "acr"
	// ClaimTenant names the customer whose user the subject is. It is nobody's
	// standard: authorization servers call it tid, org_id or by an address.
	ClaimTenant = "tenant"
)

// latest is the last second of the year 9999.
const latest = 253402300799

// principal reads the claims of a token that is the issuer's and for this server.
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

// permissions returns those scopes that this server knows, in its order.
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

// A reader reads claims, and remembers whether one was of another type than it
// has to be. One that is not there is zero.
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
