// Package cli is the command's framework: its subcommands and their flags,
// help, completion, and the terminal.
package cli

import (
	"context"
	"flag"
)

// A Status is the exit status of the process.
type Status int

// The exit statuses.
const (
	OK     Status = iota
	Bad           // a problem was found
	Failed        // the command could not do its work
)

// A Command is one subcommand, or a group of commands.
type Command struct {
	Name string
	// Arguments are the arguments after the flags, as the usage shows them,
	// such as "OLD NEW". Empty means none.
	Arguments string
	// Purpose completes "toolcontract NAME: ", in a few words without a period.
	Purpose string
	// Details is the rest of the help: paragraphs of whole sentences. The help
	// wraps them.
	Details string
	// Example is a command line with its arguments, without "toolcontract".
	Example string
	// JSON declares the flag -json, for commands that end with
	// [Terminal.Print].
	JSON bool
	// Prepare declares the command's flags and returns the function that runs
	// it with its other arguments. Those after "--" follow it in the list, with
	// the "--". An error of the function is printed, and its status is then
	// ignored.
	Prepare func(*flag.FlagSet, *Terminal) func(context.Context, []string) (Status, error)
	// Commands makes this a group. Arguments, JSON and Prepare are then unused.
	Commands []Command
}

// Usage returns the error of a command whose arguments are wrong. The usage is
// printed before the reason.
func Usage(reason string) error { return usageError(reason) }

type usageError string

func (e usageError) Error() string { return string(e) }
