package people

// A PrincipalName identifies a principal.
type PrincipalName struct {
	// Issuer vouches for the subject, such as the iss claim of a token.
	Issuer string
	// Tenant separates the customers of one server.
	Tenant string
	// Subject identifies the principal within issuer and tenant. Empty means
	// anonymous.
	Subject string
}
