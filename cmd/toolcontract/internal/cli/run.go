package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const program = "toolcontract"

// Run runs a command line, given without the program's name, and returns the
// exit status.
func Run(ctx context.Context, commands []Command, args []string, t *Terminal) Status {
	return group(ctx, Command{Name: program, Commands: commands}, program, args, t)
}

// group runs the command in a group that the first argument names. path is what
// a person types to reach the group.
func group(ctx context.Context, g Command, path string, args []string, t *Terminal) Status {
	if len(args) == 0 {
		groupHelp(t.Stderr, g, path, t.columns(t.Stderr))
		return Failed
	}
	if isHelp(args[0]) {
		groupHelp(t.Stdout, g, path, t.columns(t.Stdout))
		return OK
	}
	i := slices.IndexFunc(g.Commands, func(c Command) bool { return c.Name == args[0] })
	if i < 0 {
		fmt.Fprintf(t.Stderr, "usage: %s COMMAND [flags] ARGUMENTS\n%s: there is no such command; run %s -h\n", path, path, path)
		return Failed
	}
	c := g.Commands[i]
	path += " " + c.Name
	if c.Commands != nil {
		return group(ctx, c, path, args[1:], t)
	}
	return c.run(ctx, path, args[1:], t)
}

func isHelp(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help", "help"}, arg) }

func (c Command) run(ctx context.Context, path string, args []string, t *Terminal) Status {
	flags, do := c.prepare(t)
	rest, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		c.help(t.Stdout, path, t.columns(t.Stdout))
		return OK
	}
	status := Failed
	if err == nil {
		status, err = do(ctx, rest)
	}
	t.finish()
	if err == nil {
		return status
	}
	if _, misused := errors.AsType[usageError](err); misused {
		fmt.Fprintf(t.Stderr, "%s\n%s: %v; run %s -h\n", c.usage(path), path, err, path)
	} else {
		fmt.Fprintf(t.Stderr, "%s: %v\n", path, err)
	}
	return Failed
}

// prepare returns the command's flags and the function that runs it.
func (c Command) prepare(t *Terminal) (*flag.FlagSet, func(context.Context, []string) (Status, error)) {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed after the usage
	flags.Usage = func() {}
	if c.JSON {
		flags.BoolVar(&t.JSON, "json", false, "print one JSON value")
	}
	return flags, c.Prepare(flags, t)
}

// parse reads the flags and returns the remaining arguments. Flags may come
// before or after them. Arguments after "--" are never flags.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	var verbatim []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, verbatim = args[:i], args[i:]
	}
	for {
		switch err := flags.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, Usage(withoutValue(err.Error()))
		}
		if flags.NArg() == 0 {
			return append(rest, verbatim...), nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

var flagValue = regexp.MustCompile(`(?s)^(invalid (?:boolean )?value) ".*" for (?:flag )?-`)

// withoutValue removes the value, which may be a secret, from an error of
// package flag.
func withoutValue(text string) string {
	return strings.TrimSpace(flagValue.ReplaceAllString(text, "$1 for flag -"))
}
