// Package cli is the framework of the command line: subcommands and their
// flags, help, completion, and the terminal.
package cli

import (
	"context"
	"flag"
)

// A Status is the process's exit status.
type Status int

// The exit statuses.
const (
	OK     Status = iota
	Bad           // a problem was found
	Failed        // the command could not do its job
)

// A Command is a subcommand, or a group of subcommands.
type Command struct {
	Name string
	// Arguments are the arguments after the flags as the usage line shows them,
	// such as "OLD NEW". Empty means none.
	Arguments string
	// Purpose completes "toolcontract NAME: " in a few words, without a period.
	Purpose string
	// Details is the rest of the help, in paragraphs of whole sentences. The
	// help output wraps them.
	Details string
	// Example is a command line with its arguments, without "toolcontract".
	Example string
	// JSON declares the -json flag, for commands that finish with
	// [Terminal.Print].
	JSON bool
	// Prepare declares the command's flags and returns the function that runs
	// the command with its remaining arguments. Arguments after "--" come last,
	// with the "--" itself. If the function returns an error, the error is
	// printed and the status is ignored.
	Prepare func(*flag.FlagSet, *Terminal) func(context.Context, []string) (Status, error)
	// Commands makes this a group. Arguments, JSON and Prepare are then
	// ignored.
	Commands []Command
}

// Usage returns the error for a command whose arguments are wrong. The usage
// line is printed before the reason.
func Usage(reason string) error { return usageError(reason) }

type usageError string

func (e usageError) Error() string { return string(e) }
