package facts

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
)

// CopyOf copies a principal for an author's function, which may write to its
// copy.
func CopyOf(p contract.Principal) contract.Principal {
	p.Permissions = slices.Clone(p.Permissions)
	return p
}

// IsPerson reports whether a known human is making the call by hand.
func IsPerson(p contract.Principal) bool { return p.Human && !p.IsAnonymous() }

// NameOf returns the principal's name and nothing else.
func NameOf(p contract.Principal) people.PrincipalName {
	return people.PrincipalName{Issuer: p.Issuer, Tenant: p.Tenant, Subject: p.Subject}
}
