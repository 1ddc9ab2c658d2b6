package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// The exit statuses.
const (
	statusOK     = 0
	statusBad    = 1 // a problem was found
	statusFailed = 2 // the command could not do its work
)

// A command is one subcommand.
type command struct {
	name, arguments, summary string
	// prepare declares the command's flags and returns the function that runs
	// it with its other arguments.
	prepare func(*flag.FlagSet, *terminal) func(context.Context, []string) (status int, err error)
}

// A terminal is where a command prints.
type terminal struct {
	stdout, stderr io.Writer
	json           bool
}

// errUsage means that the arguments of a command are wrong.
var errUsage = errors.New("wrong arguments")

func commands() []command {
	return []command{
		{"verify-audit", "FILE | DIR", "check the chain of an audit log, or of all in a folder", verifyAudit},
		{"diff", "OLD NEW", "compare two snapshots", diff},
		{"check", "SNAPSHOT", "check the contracts of a snapshot", check},
		{"inspect", "URL | -- COMMAND [ARGUMENT…]", "list the contracts of a running server", inspect},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run runs the command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help(stderr)
		return statusFailed
	}
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		help(stdout)
		return statusOK
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "toolcontract: there is no such command; run toolcontract -h\n")
		return statusFailed
	}
	return all[i].run(ctx, args[1:], stdout, stderr)
}

func (c command) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	t := &terminal{stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: toolcontract %s [flags] %s\n\npurpose: %s\n\n", c.name, c.arguments, c.summary)
		flags.PrintDefaults()
	}
	flags.BoolVar(&t.json, "json", false, "print one JSON value")
	do := c.prepare(flags, t)
	rest, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusFailed // the flag set has printed the reason
	}
	status, err := do(ctx, rest)
	switch {
	case errors.Is(err, errUsage):
		flags.Usage()
		return statusFailed
	case err != nil:
		fmt.Fprintf(stderr, "toolcontract %s: %v\n", c.name, err)
		return statusFailed
	}
	return status
}

// parse reads the flags and returns the other arguments. Flags may stand before
// and after them. Arguments after "--" are never flags.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	var verbatim []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, verbatim = args[:i], args[i:]
	}
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return append(rest, verbatim...), nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

func help(w io.Writer) {
	var text strings.Builder
	text.WriteString("usage: toolcontract COMMAND [flags] ARGUMENTS\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&text, "  %-13s %-29s %s\n", c.name, c.arguments, c.summary)
	}
	text.WriteString("\nRun toolcontract COMMAND -h for the flags. -json prints one JSON value.\n" +
		"Exit status: 0 no problem was found, 1 a problem was found, 2 the command could not do its work.\n")
	_, _ = io.WriteString(w, text.String())
}
