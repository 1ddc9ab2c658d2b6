// Package dev implements the dev command.
package dev

import (
	"context"
	"flag"
	"os"
	"regexp"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
)

// auditLine matches an audit event as the default sink writes it.
var auditLine = regexp.MustCompile(`\baudit\b.* event=\w+ callId=`)

// Command returns the dev command.
func Command() cli.Command {
	return cli.Command{
		Name: "dev", Arguments: "-- COMMAND [ARGUMENT…]", Purpose: "run a server that starts again when its source changes",
		Details: "It stands in for a server over stdio: give a host toolcontract dev -- COMMAND in place of COMMAND. The session " +
			"with the host stays open while the server is started again, and the host gets a " +
			"notification that the list of tools has changed. " +
			"Running calls may finish first, as far as the server lets them.\n\n" +
			"Each call is one line on stderr: the time, the tool, its outcome, and an address if a person must visit one. The " +
			"server's own stderr is shown too, without the audit events, which would repeat these lines.\n\n" +
			"The binary of COMMAND is watched, and for the command go also the Go files, go.mod, go.sum and go.work in this folder " +
			"and below.",
		Example: "dev -- go run . -approval", Prepare: prepare,
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	var also []string
	flags.Func("watch", "watch this `path` too, and all files below it; may be repeated", func(path string) error {
		also = append(also, path)
		_, err := os.Stat(path)
		return err
	})
	every := flags.Duration("every", 500*time.Millisecond, "how often to look for changes")
	logs := flags.Bool("logs", false, "show the audit events that the server logs, too")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) < 2 || args[0] != "--" {
			return cli.Failed, cli.Usage("a command stands after --")
		}
		if *every <= 0 {
			return cli.Failed, cli.Usage("-every must be more than zero")
		}
		w := newWatch(args[1], also)
		if cli.IsTerminal(t.Stdin) {
			t.Note("A client speaks to this command over stdin. Give this command line to a host, in place of the server's own.")
		}
		hidden := auditLine.Match
		if *logs {
			hidden = nil
		}
		command := client.Command{Path: args[1], Args: args[2:], Env: os.Environ(), Stderr: t.Lines(hidden)}
		ctx, end := context.WithCancel(ctx)
		defer end()
		s := newSession(target.Watched(command, t), t)
		s.build = func() error { return target.Build(ctx, command.Path, command.Args, t) }
		go w.run(ctx, *every, s.restart)
		return cli.OK, s.serve(ctx)
	}
}
