package contract

import (
	"slices"
	"time"
)

// LocalIssuer is the issuer of the operating system user who started a stdio
// server, as the adapters' LocalUser identifies it.
const LocalIssuer = "local"

// A Principal is the party on whose behalf a call is made. The zero value is
// anonymous. Package guard finds the principal of a call.
type Principal struct {
	// Issuer is who vouches for the subject, such as the iss claim of a token.
	Issuer string
	// Tenant separates customers of one server.
	Tenant string
	// Subject identifies the principal within issuer and tenant. Empty means
	// anonymous, whatever the other fields are.
	Subject string
	// Permissions are what the principal holds. Empty means none.
	Permissions []string
	// Human means that a person makes the call by hand. False means an agent;
	// every MCP client is an agent.
	Human bool
	// AuthTime is when the principal last authenticated. Zero: unknown.
	AuthTime time.Time
	// ACR is the authentication context class (OpenID Connect Core 1.0 §2).
	ACR string
}

// IsAnonymous reports whether p has no subject.
func (p Principal) IsAnonymous() bool { return p.Subject == "" }

// Missing returns the given permissions that p does not hold, in their order.
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
