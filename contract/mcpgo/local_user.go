package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// LocalIssuer is the issuer of the principal that [LocalUser] finds.
const LocalIssuer = "local"

var errNotLocal = errors.New("mcpgo: LocalUser serves stdio and in-process sessions alone; use Bearer over HTTP")

// LocalUser is the principal of a stdio server: the user of the operating
// system who started the process, who may do what permissions say. It is an
// agent, like every MCP client. The subject is the user's name, or its number
// where the system knows no name. The user is looked up once, at the first call.
//
// Only two kinds of caller are known to be local: the client of a stdio session,
// be it [ServeStdio]'s or mcp-go's own, and one in the process, whose session is
// a [server.InProcessSession]. Any other may be anybody, such as a caller over
// HTTP, and gets an error, with it unauthenticated; so does a call without a
// session, such as a program's own of MCPServer.HandleMessage: give its context
// one with MCPServer.WithContext.
//
// A session does not tell what is at the end of its stream. Do not use LocalUser
// where mcp-go's StdioServer.Listen is given a network connection, or where the
// program forwards other people's requests to a client in the process.
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

// A stdioSession is mcp-go's, whose type has no exported name: of its sessions,
// only that one is given a stream to write to. Its id proves nothing, for
// clients over HTTP can choose theirs.
type stdioSession interface {
	server.ClientSession
	SetWriter(w io.Writer)
}

func isLocal(ctx context.Context) bool {
	if header, _ := headerFrom(ctx); len(header) > 0 {
		return false // of HTTP, whatever session it was given
	}
	switch server.ClientSessionFromContext(ctx).(type) {
	case *server.InProcessSession, stdioSession:
		return true
	default:
		return false
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
