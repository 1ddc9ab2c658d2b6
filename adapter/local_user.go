package adapter

import (
	"context"
	"os"
	"os/user"
	"slices"
	"strconv"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

var errNotLocal = &Error{Reason: "LocalUser serves only stdio and in-process sessions; use Bearer over HTTP"}

// LocalUser returns the source of principals of a stdio server. The principal
// is the operating system user who started the process, with the given
// permissions. Its issuer is [contract.LocalIssuer]. It is an agent, like every
// MCP client. The subject is the user name, or the user ID if the system has no
// name for it. The user is looked up once, at the first call.
//
// Only a [Caller] that is Local and has no header is the local user. Any other
// caller gets an error, so that its call is unauthenticated.
func LocalUser(permissions ...string) guard.PrincipalSource {
	return &localUser{permissions: slices.Clone(permissions), subject: sync.OnceValues(localSubject)}
}

type localUser struct {
	permissions []string
	subject     func() (string, error)
}

// AnswersAtOnce means that only the first call can wait.
func (*localUser) AnswersAtOnce() {}

// OnlyLocal means that no other caller has a principal.
func (*localUser) OnlyLocal() {}

// Principal implements [guard.PrincipalSource].
func (u *localUser) Principal(ctx context.Context) (guard.Principal, error) {
	if c, _ := CallerFrom(ctx); !c.Local || len(c.Header) > 0 {
		return guard.Principal{}, errNotLocal
	}
	name, err := u.subject()
	if err != nil {
		return guard.Principal{}, err
	}
	return guard.Principal{Issuer: contract.LocalIssuer, Subject: name, Permissions: slices.Clone(u.permissions)}, nil
}

func localSubject() (string, error) {
	u, err := user.Current()
	if err == nil && u.Username != "" {
		return u.Username, nil
	}
	if uid := os.Getuid(); uid >= 0 {
		return strconv.Itoa(uid), nil
	}
	return "", &Error{Reason: "the local user is not known", Err: guard.ErrUnavailable}
}
