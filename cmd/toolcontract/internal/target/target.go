// Package target connects to the server that a command line names: a URL, a
// program's path, or a command after "--".
package target

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// Arguments and Details describe a server in a command's help. A command's
// other arguments come before the "--".
const (
	Arguments = "SERVER | -- COMMAND [ARGUMENT…]"
	Details   = "The server is a URL for HTTP, the file of a program that serves over stdio, or a command with its arguments " +
		"after --. Such a server runs as long as this command."
)

// A Target is the server that a command connects to.
type Target struct {
	// Timeout is how long the command waits for the server.
	Timeout time.Duration
	// Starts reports whether the command starts the server itself, and so stops
	// it too.
	Starts bool

	header http.Header
	logs   bool
	build  func(context.Context) error // compiles a started command
	log    *serverLog                  // of a started command, unless logs is true
	open   sync.WaitGroup
}

// Declare declares the flags of a command that needs a server.
func Declare(flags *flag.FlagSet) *Target {
	t := &Target{header: http.Header{}}
	usage := "a `header` of every HTTP request, such as \"Authorization: Bearer …\"; may be repeated"
	flags.Func("header", usage, func(text string) error {
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return errors.New("the header is not of the form NAME: VALUE")
		}
		t.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	flags.DurationVar(&t.Timeout, "timeout", 2*time.Minute, "how long to wait for the server")
	flags.BoolVar(&t.logs, "logs", false, "show what the command writes to its stderr (default: only if it does not answer)")
	return t
}

// Transport returns the transport to the server that the arguments name, and
// the remaining arguments.
func (t *Target) Transport(args []string, on *cli.Terminal) (transport client.Transport, rest []string, err error) {
	if i := slices.Index(args, "--"); i >= 0 {
		if i+1 == len(args) {
			return nil, nil, cli.Usage("no command stands after --")
		}
		return t.command(on, args[i+1], args[i+2:]), args[:i], nil
	}
	if len(args) == 0 {
		return nil, nil, cli.Usage("a server is required")
	}
	i := slices.IndexFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
	})
	if i < 0 {
		if path, ok := program(args[0]); ok {
			return t.command(on, path, nil), args[1:], nil
		}
		return nil, nil, errors.New("there is neither a URL that starts with http:// or https:// nor a program as the first " +
			"argument; write a command that serves over stdio after --")
	}
	return client.HTTP{URL: args[i], Header: t.header}, slices.Concat(args[:i], args[i+1:]), nil
}

func (t *Target) command(on *cli.Terminal, path string, args []string) client.Transport {
	t.Starts = true
	t.build = func(ctx context.Context) error { return Build(ctx, path, args, on) }
	// A server that a person names on the command line gets their environment, as
	// in a shell.
	command := client.Command{Path: path, Args: args, Env: os.Environ(), Stderr: on.Lines(nil)}
	if !t.logs {
		t.log = &serverLog{on: on}
		command.Stderr = t.log
	}
	return started{Watched(command, on), &t.open}
}

// IsFile reports whether an argument that could name a server is some other
// file, such as a snapshot: neither a URL nor a program.
func IsFile(arg string) bool {
	_, runs := program(arg)
	return !runs && arg != "--" && !strings.Contains(arg, "://")
}

// program returns the absolute path of an executable file.
func program(path string) (string, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	found, err := exec.LookPath(path)
	return path, err == nil && (runtime.GOOS != "windows" || isProgram(found))
}

// isProgram reports whether Windows runs files with this extension.
// exec.LookPath accepts any file whose name has one.
func isProgram(path string) bool {
	return slices.ContainsFunc(strings.Split(cmp.Or(os.Getenv("PATHEXT"), ".com;.exe;.bat;.cmd"), ";"), func(extension string) bool {
		return strings.EqualFold(extension, filepath.Ext(path))
	})
}

// Connect opens a session with a server, as an agent does. It sets the request
// timeout in opts. The caller closes the agent.
func (t *Target) Connect(
	ctx context.Context, transport client.Transport, on *cli.Terminal, opts agent.Options,
) (*agent.Agent, error) {
	opts.Limits.Request = t.Timeout
	var a *agent.Agent
	err := t.reach(ctx, on, func(ctx context.Context) (err error) {
		a, err = agent.Connect(ctx, client.New(transport), opts)
		return err
	})
	return a, err
}

// List returns a server's tools in the form of tools/list.
func (t *Target) List(ctx context.Context, transport client.Transport, on *cli.Terminal) ([]json.RawMessage, error) {
	var listing client.Listing
	err := t.reach(ctx, on, func(ctx context.Context) (err error) {
		c := client.New(transport)
		defer c.Close() //nolint:errcheck // the answer is complete
		listing, err = c.ListTools(ctx)
		return err
	})
	return listing.Tools, err
}

// reach builds the server and tries to reach it until the timeout. If that
// fails, it shows what the server logged and returns the error for the person.
func (t *Target) reach(ctx context.Context, on *cli.Terminal, try func(context.Context) error) error {
	if t.build != nil {
		if err := t.build(ctx); err != nil {
			return err
		}
	}
	on.Progress("connecting to the server…")
	err := t.wait(ctx, try)
	if err == nil {
		return nil
	}
	t.open.Wait() // an agent that gives up leaves the process to end by itself
	if t.log != nil {
		t.log.note()
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted before the server answered")
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the server did not answer within %s; -timeout sets another time", t.Timeout)
	}
	return fmt.Errorf("the tools of the server cannot be listed: %s", cli.OneLine(err.Error()))
}

// wait calls a function until it reaches the server or the timeout has passed.
// A single connection attempt may take 30 seconds, which a command that builds
// or downloads its server can exceed the first time, so another attempt
// follows.
func (t *Target) wait(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	for {
		err := try(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
	}
}

// Find returns the tool with a listed name, or with that name or alias in its
// contract. Only whole contracts have the aliases.
func Find(a *agent.Agent, name string) (agent.Tool, error) {
	if t, ok := a.Tool(name); ok {
		return t, nil
	}
	for _, t := range a.Tools() {
		if t.Contract.Name == name || slices.Contains(t.Contract.Aliases, name) {
			return t, nil
		}
	}
	if len(a.Tools()) == 0 {
		return agent.Tool{}, errors.New("the server lists no tools for this caller; over HTTP, -header sends its credentials")
	}
	return agent.Tool{}, errors.New("the server lists no tool of this name; run toolcontract list. " +
		"Servers do not list the old names of tools: toolcontract call -yes calls one")
}
