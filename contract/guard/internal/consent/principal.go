package consent

import (
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/people"
)

// A Principal has the fields of guard.Principal that this package needs.
type Principal struct {
	people.PrincipalName

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
	people.PrincipalName

	Permissions []string
	Human       bool
	AuthTime    time.Time
	ACR         string
}
