package guard

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Principal is on whose behalf a call is made. The zero value is anonymous.
type Principal struct {
	// Issuer is who vouches for the subject, such as the iss claim of a token.
	Issuer string
	// Tenant separates customers of one server.
	Tenant string
	// Subject identifies the principal within issuer and tenant. Empty means
	// anonymous, whatever the other fields say.
	Subject string
	// Permissions is what the principal may do. Empty means nothing.
	Permissions []string
	// Human says that a person makes the call by hand. False means an agent,
	// which is what every MCP client is.
	Human bool
	// AuthTime is when the principal last authenticated. Zero: not known.
	AuthTime time.Time
	// ACR is the authentication context class (OpenID Connect Core 1.0 §2).
	ACR string
}

// IsAnonymous reports whether p has no subject.
func (p Principal) IsAnonymous() bool { return p.Subject == "" }

// Missing returns those of permissions that p does not hold, in their order.
// An anonymous principal holds none.
func (p Principal) Missing(permissions []string) []string {
	var missing []string
	for _, want := range permissions {
		if p.IsAnonymous() || !slices.Contains(p.Permissions, want) {
			missing = append(missing, want)
		}
	}
	return missing
}

// A PrincipalFunc finds the principal of a call from what the transport
// verified and put into the context; never from arguments or _meta, which
// anybody can write. The zero Principal with a nil error is anonymous. An error
// that wraps [ErrUnavailable] answers unavailable, any other unauthenticated; a
// panic, or no answer within 10 seconds, counts as unavailable. It is called
// for every call and every list, by many goroutines at once.
type PrincipalFunc func(context.Context) (Principal, error)

// ErrUnavailable is wrapped by an error of a [PrincipalFunc] that says: whom
// to ask is not there now.
var ErrUnavailable = errors.New("guard: unavailable")
