package program

import (
	"cmp"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

// withTokens returns the server whose Callers verifies the access tokens of
// Tokens. An empty origin means that it is not known.
func (s Server) withTokens(origin string) (Server, error) {
	switch {
	case s.Tokens == nil:
		return s, nil
	case s.Callers != nil:
		return s, errors.New("program: Callers and Tokens are both set; leave one of them out")
	case s.Tokens.Resource == "" && origin == "":
		return s, errors.New("program: Tokens.Resource is empty, and Handler does not know the origin; set it")
	}
	c := *s.Tokens
	c.Resource = cmp.Or(c.Resource, origin+endpoint)
	if c.Scopes == nil && c.Permissions == nil {
		tools, err := s.Tools()
		if err != nil {
			return s, err
		}
		c.Scopes = contract.PermissionsOf(tools...)
	}
	verifier, err := oauth.NewVerifier(c)
	if err != nil {
		return s, err
	}
	s.Tokens = nil
	s.Callers = verifier.Principal
	if s.Issuers == nil {
		s.Issuers = []string{c.Issuer}
	}
	return s, nil
}
