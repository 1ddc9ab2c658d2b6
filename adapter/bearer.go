package adapter

import (
	"context"
	"strings"

	"github.com/toolcontract/toolcontract/guard"
)

// isBearerToken reports whether s is a b64token of RFC 6750 §2.1. With a long
// token, a regular expression would take longer than everything else done here.
func isBearerToken(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == '~', c == '+', c == '/':
		default:
			return false
		}
	}
	return s != ""
}

var (
	errCredentials = &Error{Reason: "the Authorization header is not one bearer token"}
	errAnonymous   = &Error{Reason: "the verified bearer token has no subject"}
)

// Bearer returns a principal function for HTTP. It takes the bearer token (RFC
// 6750 §2.1) from the Authorization header of the [Caller] and calls verify,
// which checks the token: signature, issuer, audience, expiry. An error from
// verify is passed on unchanged; wrap [guard.ErrUnavailable] if the token
// cannot be checked at the moment.
//
// Without the header, and over other transports, the caller is anonymous. A
// header that is not exactly one bearer token is an error, and verify is not
// called. A token for which verify returns no subject is an error too. The case
// of the scheme does not matter (RFC 9110 §11.1).
//
// A refused call has HTTP status 200, because the refusal is a tool result.
// Hosts start authorization only after a status 401, so an OAuth server also
// puts a handler in front of the endpoint: oauth.Resource.Protect with the same
// verify. Both verify the token, so the tools stay protected without that
// handler.
//
// A nil verify returns nil, which guard.WithPrincipal refuses. verify must be
// safe for concurrent use.
func Bearer(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc {
	if verify == nil {
		return nil
	}
	return func(ctx context.Context) (guard.Principal, error) {
		caller, _ := CallerFrom(ctx)
		credentials := caller.Header.Values("Authorization")
		if len(credentials) == 0 {
			return guard.Principal{}, nil
		}
		if len(credentials) > 1 {
			return guard.Principal{}, errCredentials
		}
		scheme, token, _ := strings.Cut(credentials[0], " ")
		token = strings.TrimLeft(token, " ")
		if !strings.EqualFold(scheme, "Bearer") || !isBearerToken(token) {
			return guard.Principal{}, errCredentials
		}
		p, err := verify(ctx, token)
		if err != nil {
			return guard.Principal{}, err
		}
		if p.IsAnonymous() {
			return guard.Principal{}, errAnonymous
		}
		return p, nil
	}
}
