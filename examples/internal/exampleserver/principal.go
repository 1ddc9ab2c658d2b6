package exampleserver

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
)

const issuer = "example"

var errUnknownToken = errors.New("exampleserver: the token is not known")

// Principal returns a function that finds the principal of a bearer token:
//
//	alice      holds every permission that the tools need
//	alice-mfa  the same, and has just authenticated with a second factor
//	bob        holds only contacts:read
//	auditor    is a person, not an agent, and holds contracts:audit
//
// Any other token is an error. These tokens prove nothing. Use them only for
// examples on the loopback interface.
func Principal(tools []*contract.Tool) func(context.Context, string) (guard.Principal, error) {
	all := contract.PermissionsOf(tools...)
	return func(_ context.Context, token string) (guard.Principal, error) {
		switch token {
		case "alice":
			return guard.Principal{Issuer: issuer, Subject: "alice", Permissions: all}, nil
		case "alice-mfa":
			return guard.Principal{Issuer: issuer, Subject: "alice", Permissions: all, AuthTime: time.Now(), ACR: "mfa"}, nil
		case "bob":
			return guard.Principal{Issuer: issuer, Subject: "bob", Permissions: []string{"contacts:read"}}, nil
		case "auditor":
			return guard.Principal{Issuer: issuer, Subject: "auditor", Permissions: []string{"contracts:audit"}, Human: true}, nil
		default:
			return guard.Principal{}, errUnknownToken
		}
	}
}

// A CallerFunc finds the principal of a bearer token.
type CallerFunc = func(ctx context.Context, token string) (guard.Principal, error)

// Callers returns [Principal] for the given tools, which are built when the
// first token arrives.
func Callers(tools func() ([]*contract.Tool, error)) CallerFunc {
	tools = sync.OnceValues(tools)
	return func(ctx context.Context, token string) (guard.Principal, error) {
		all, err := tools()
		if err != nil {
			return guard.Principal{}, err
		}
		return Principal(all)(ctx, token)
	}
}

// SignIn returns the form on which people sign in with these tokens.
func SignIn(callers CallerFunc) pages.SignIn {
	return pages.SignIn{
		Verify: callers, Label: "Token",
		Hint: "In this example, use the token auditor. It belongs to a person; agents such as alice cannot decide.",
	}
}
