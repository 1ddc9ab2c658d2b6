package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"sync"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// LocalIssuer is the issuer of the principal that [LocalUser] finds.
const LocalIssuer = "local"

var errNotLocal = errors.New("mcpgo: LocalUser serves no HTTP callers; use Bearer")

// LocalUser is the principal of a stdio server: the user of the operating
// system who started the process, who may do what permissions say. It is an
// agent, like every MCP client. The subject is the user's name, or its number
// where the system knows no name. The user is looked up once, at the first call.
//
// A caller over HTTP may be anybody: it gets an error, and with it
// unauthenticated.
func LocalUser(permissions ...string) guard.PrincipalFunc {
	permissions = slices.Clone(permissions)
	subject := sync.OnceValues(localSubject)
	return func(ctx context.Context) (guard.Principal, error) {
		if header, ok := headerFrom(ctx); ok && (header == nil || len(header) > 0) {
			return guard.Principal{}, errNotLocal
		}
		name, err := subject()
		if err != nil {
			return guard.Principal{}, err
		}
		return guard.Principal{Issuer: LocalIssuer, Subject: name, Permissions: slices.Clone(permissions)}, nil
	}
}

func localSubject() (string, error) {
	u, err := user.Current()
	if err == nil && u.Username != "" {
		return u.Username, nil
	}
	if uid := os.Getuid(); uid >= 0 {
		return strconv.Itoa(uid), nil
	}
	return "", fmt.Errorf("mcpgo: the local user is not known: %w", guard.ErrUnavailable)
}
