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

// LocalIssuer is the issuer of the principal that [LocalUser] returns.
const LocalIssuer = "local"

var errNotLocal = errors.New("mcpgo: LocalUser serves only stdio and in-process sessions; use Bearer over HTTP")

// LocalUser returns a principal function for a stdio server. The principal is
// the user of the operating system who started the process, with the given
// permissions. It is an agent, like every MCP client. The subject is the name
// of the user, or the user's number if the system has no name for it. The user
// is looked up once, at the first call.
//
// Only two kinds of caller are known to be local: the client of a stdio
// session, served by [ServeStdio] or by mcp-go itself, and a client in the
// process, whose session is a server.InProcessSession of mcp-go. The identity
// of any other caller, such as one over HTTP, is unknown. It gets an error, so
// that its call is unauthenticated. The same holds for a call without a
// session, such as a program that calls MCPServer.HandleMessage: give its
// context a session with MCPServer.WithContext.
//
// A session does not show which process is at the end of its stream. Do not use
// LocalUser if mcp-go's StdioServer.Listen gets a network connection, or if the
// program forwards requests of other people to a client in the process.
func LocalUser(permissions ...string) guard.PrincipalFunc {
	permissions = slices.Clone(permissions)
	subject := sync.OnceValues(localSubject)
	return func(ctx context.Context) (guard.Principal, error) {
		if !isLocal(ctx) {
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
