package consent

import "time"

// A PrincipalName identifies a principal.
type PrincipalName struct {
	// Issuer vouches for the subject, such as the iss claim of a token.
	Issuer string
	// Tenant separates customers of one server.
	Tenant string
	// Subject identifies the principal within issuer and tenant. Empty means
	// anonymous.
	Subject string
}

// IsAnonymous reports whether there is no subject.
func (n PrincipalName) IsAnonymous() bool { return n.Subject == "" }

// A Principal has the fields of guard.Principal that this package needs.
type Principal struct {
	PrincipalName

	// Human means that a known person acts, not an agent.
	Human bool
	// AuthTime and ACR are the time and the class of the principal's last
	// authentication.
	AuthTime time.Time
	ACR      string
}

// A storedName is the form of a name in stored records. Its other members are
// always empty.
type storedName struct {
	PrincipalName

	Permissions []string
	Human       bool
	AuthTime    time.Time
	ACR         string
}
