package mcpgo

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// bearerToken is the b64token of RFC 6750 §2.1.
var bearerToken = regexp.MustCompile(`^[A-Za-z0-9\-._~+/]+=*$`)

var (
	errCredentials = errors.New("mcpgo: the Authorization header is not one bearer token")
	errNobody      = errors.New("mcpgo: the bearer token was verified and names nobody")
)

// Bearer finds the principal by the bearer token (RFC 6750 §2.1) in the
// Authorization header that mcp-go hands to hooks and handlers over HTTP; no
// option of mcp-go's is needed for it. verify checks the token: signature,
// issuer, audience, expiry. Its error is passed on as it is; wrap
// [guard.ErrUnavailable] where the token could not be checked now.
//
// Without the header, and over other transports, the caller is anonymous. A
// header that is there and is not exactly one bearer token is an error, verify
// is not called; so is a token for which verify names no subject. The scheme's
// case does not matter (RFC 9110 §11.1).
//
// The answer to a call is a tool's, with HTTP status 200: put a handler in front
// of mcp-go's where clients need status 401 to begin an authorization.
//
// A nil verify returns nil, which guard.WithPrincipal refuses. verify is called
// by many goroutines at once.
func Bearer(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc {
	if verify == nil {
		return nil
	}
	return func(ctx context.Context) (guard.Principal, error) {
		header, _ := headerFrom(ctx)
		credentials := header.Values("Authorization")
		if len(credentials) == 0 {
			return guard.Principal{}, nil
		}
		if len(credentials) > 1 {
			return guard.Principal{}, errCredentials
		}
		scheme, token, _ := strings.Cut(credentials[0], " ")
		token = strings.TrimLeft(token, " ")
		if !strings.EqualFold(scheme, "Bearer") || !bearerToken.MatchString(token) {
			return guard.Principal{}, errCredentials
		}
		p, err := verify(ctx, token)
		if err != nil {
			return guard.Principal{}, err
		}
		if p.IsAnonymous() {
			return guard.Principal{}, errNobody
		}
		return p, nil
	}
}
