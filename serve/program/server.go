package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/oauth"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// A Server is an MCP server that runs as a program. Name, Version and Tools are
// required. The zero value of every other field leaves that part out.
type Server struct {
	// Name and Version are the MCP server's. Name is also the program's name in
	// its messages.
	Name    string
	Version string
	// Tools returns the tools. Main calls it once, after it has read the flags.
	Tools func() ([]*contract.Tool, error)
	// Callers returns the principal of a bearer token over HTTP, such as
	// oauth.Verifier.Principal. If it is nil, -http is an error unless Tokens
	// or Web is set.
	Callers func(ctx context.Context, token string) (guard.Principal, error)
	// Tokens configures JWT access tokens, instead of Callers. An empty
	// Resource becomes the resource's identifier; see Issuers. Without Scopes
	// and Permissions, the scopes are all permissions of the tools. If Issuers
	// is nil, it becomes the Issuer of Tokens. Nil means that Callers knows the
	// tokens.
	Tokens *oauth.VerifierConfig
	// Issuers are the OAuth authorization servers whose tokens Callers accepts.
	// If there are any, every request over HTTP needs a token, and requests
	// without a valid one get status 401 and a challenge; see package oauth.
	// The identifier of the resource is the origin of -http or -origin with
	// /mcp, such as https://mail.example.com/mcp, and its scopes are all
	// permissions of the tools. If Callers verifies the audience, it must be
	// the same identifier, or every token is refused; Tokens takes care of
	// that.
	Issuers []string
	// SignIn configures the page on which people sign in over HTTP. Its Home
	// is always the approval page, or the page of the contracts if that is the
	// only page. Its Verify is required for StepUp over HTTP,
	// and for -approval with -http.
	SignIn pages.SignIn
	// Approval adds the flags -approval and -browser, for the page on which a
	// person approves calls.
	Approval bool
	// StepUp serves over HTTP, to those who use SignIn, the page on which a
	// person authenticates again for a call.
	StepUp bool
	// Contracts serves the contracts page over HTTP at /contracts, and the same
	// as JSON at /contracts.json. Visitors see what tools/list shows them,
	// identified by their bearer token, or by SignIn if it has a Verify. See
	// catalog.Handler.
	Contracts bool
	// Public adds the flag -origin, for a server that others reach over https,
	// and the flags about its proxy and load balancer. Without it, the server
	// listens only on loopback addresses.
	Public bool
	// Flags adds the server author's own flags. Nil adds none.
	Flags func(*flag.FlagSet)
	// OpenBackend opens the resource behind the guard. Main calls it after it
	// has read the flags. Nil means no such resource.
	OpenBackend func() (Backend, error)
	// OpenState adds the flag -state, and opens its file. All processes that
	// use the file share what calls have done, and the file outlives them,
	// which a server over stdio needs:
	//
	//	func(path string) (program.State, error) { return sqlitefile.Open(path) }
	//
	// The guard's namespace is then Name. Nil means no such flag.
	OpenState func(path string) (State, error)
	// OperateState adds the command state, with which an operator shows, settles,
	// forgets, rotates and copies what the guard remembers, as with toolcontract
	// state:
	//
	//	mail -state FILE state settle -audit audit.jsonl LOOKUP_KEY ran
	//
	// For the file of OpenState, set it to sqlitefile.Operate; for a database, see
	// package operator in the module store/sqlstore. server is Name, path is the
	// file of -state or of DefaultState or empty, and args are the arguments after
	// state. Main returns the status. Nil means no such command.
	OperateState func(server, path string, args []string, stdout, stderr io.Writer) (status int)
	// DefaultState keeps the state over stdio even without -state, in the
	// user's folder for such files: NAME/state.db in $XDG_STATE_HOME, which is
	// ~/.local/state by default, in ~/Library/Application Support on macOS, or
	// in %LocalAppData% on Windows. False means in memory.
	DefaultState bool
	// Web replaces everything that is served over HTTP, for servers with other
	// pages or another authentication. It returns the handler and the guard,
	// made with the given options. The origin is that of the server, such as
	// http://127.0.0.1:8080, and list has the tier and the naming of the flags.
	// The handler sees the paths of requests without the path of -origin, and
	// those below /.well-known/ unchanged. Nil means the tools at /mcp and the
	// pages.
	Web func(origin string, list adapter.Config, opts []guard.Option) (http.Handler, *guard.Guard, error)
	// SDK serves the tools over MCP: a gosdk.SDK, or a mcpgo.SDK, the default.
	// Both can have a server of your own, to which the tools are added.
	SDK SDK
}

// The exit statuses of [Server.Main].
const (
	exitOK         = iota
	exitFailed     // serving ended with an error, or the log is broken
	exitNotStarted // the program could not begin its work
)

// Main runs the program with the given command line, without the name of the
// program: it serves, checks an audit log, or runs the command state. It prints
// to stderr, and the report about a log and the flags of -h to stdout. It
// returns the exit status of the process: 0 when stdin ends and on SIGTERM or
// SIGINT, and 1 if serving ended with an error or the log is broken. It is 2 if
// the program could not start, such as for a wrong command line, an address in
// use or a missing file.
func (s Server) Main(args []string, stdout, stderr io.Writer) int {
	// If the client is gone, stderr may be a broken pipe. Writing the last
	// lines to it must not end the process by SIGPIPE.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	if s.Tools == nil {
		fmt.Fprintf(stderr, "%s: program: Tools is nil; set it to a function that returns the tools\n", s.Name)
		return exitNotStarted
	}
	s.Tools = sync.OnceValues(s.Tools)
	f, err := s.parseFlags(args, stdout, stderr)
	var began bool
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitNotStarted
	case f.operate != nil:
		var path string
		if path, err = s.statePath(f); err == nil {
			return s.OperateState(s.Name, path, f.operate, stdout, stderr)
		}
	case f.verifyAudit != "":
		began, err = verifyLog(f.verifyAudit, f.head, stdout)
	default:
		began, err = s.serve(f, stderr)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "%s: %v\n", s.Name, err)
	if began {
		return exitFailed
	}
	return exitNotStarted
}

// serve serves until the end of stdin or a signal. The audit log outlives the
// backend, and both outlive the guard. It reports whether serving began.
func (s Server) serve(f flags, stderr io.Writer) (began bool, err error) {
	log, note, err := f.openLog()
	switch {
	case err != nil:
		return false, err
	case log == nil:
		return s.serveBackend(f, stderr, "")
	}
	stop := s.rotateOnSignal(log, stderr)
	began, err = s.serveBackend(f, stderr, note, guard.WithAudit(log))
	stop()
	err = errors.Join(err, log.Close())
	if began {
		printHead(log.Head(), stderr)
	}
	return began, err
}

// serveBackend opens the state and the backend, serves, and closes both. The
// note is one more warning, if it is not empty.
func (s Server) serveBackend(f flags, stderr io.Writer, note string, opts ...guard.Option) (began bool, err error) {
	state, kept, err := s.openState(f)
	if err != nil {
		return false, err
	}
	if state != nil {
		defer func() { err = errors.Join(err, state.Close()) }()
	}
	b, err := s.backend()
	if err != nil {
		return false, err
	}
	if note != "" {
		b.Warnings = append(b.Warnings, note)
	}
	opts = slices.Concat(opts, kept, b.Options)
	transport := s.serveHTTP
	if f.http == "" {
		transport = s.serveStdio
	}
	began, err = transport(f, stderr, b, opts)
	return began, errors.Join(err, b.close())
}
