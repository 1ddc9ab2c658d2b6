// Package operator has the command line with which an operator looks after what
// a guard remembers: show, settle, forget, rotate and backup. The commands are
// those of toolcontract state. The binary of a server can have them too, since
// it has the one driver that its state needs. For a file, package sqlitefile
// has them in one function. For PostgreSQL, link pgx/v5/stdlib and set:
//
//	program.Server{
//		OperateState: func(server, _ string, args []string, stdout, stderr io.Writer) int {
//			return operator.Program{Name: server + " state", State: address, Namespace: server}.Run(args, stdout, stderr)
//		},
//	}
package operator

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A Program is a command line with the commands of an operator. The zero
// Program works on any PostgreSQL database.
type Program struct {
	// Name is what a person types before a command, such as "mail state".
	Name string
	// State is the file or the address of the state. Empty: it is the first
	// argument of each command.
	State string
	// Namespace is that of the server's guard, whose records forget removes.
	// Empty: none, unless the flag -namespace names one.
	Namespace string
	// Inspect, Rotate and Backup are the functions of package sqlitefile, whose
	// driver must be linked. Nil: the state is not in a file.
	Inspect func(ctx context.Context, path string) (sqlstore.Summary, error)
	Rotate  func(path string) error
	Backup  func(ctx context.Context, path, to string) error
}

// The exit statuses of [Program.Run].
const (
	ok      = iota
	nothing // there was nothing to do
	failed
)

// A usageError is the reason why the usage is printed.
type usageError string

func (e usageError) Error() string { return string(e) }

// A job is one run of a command.
type job struct {
	Program

	json   bool
	stdout io.Writer
}

// print prints the value as JSON if -json is set, and the text otherwise.
func (j *job) print(value any, text string) error {
	if j.json {
		return json.NewEncoder(j.stdout).Encode(value)
	}
	_, err := fmt.Fprintln(j.stdout, strings.TrimRight(text, "\n"))
	return err
}

// Run runs a command line, such as "show", until it ends or the process gets
// SIGINT or SIGTERM. Flags may come before or after the other arguments. The
// exit status is 0, 1 if forget found nothing to remove, or 2 if the command
// could not do its work. The reason is then the last line on stderr.
func (p Program) Run(args []string, stdout, stderr io.Writer) (status int) {
	at := slices.IndexFunc(commands, func(c Command) bool { return len(args) > 0 && c.Name == args[0] })
	if at < 0 {
		return p.list(args, stdout, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := commands[at]
	j := &job{Program: p, stdout: stdout}
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed below
	if c.JSON {
		flags.BoolVar(&j.json, "json", false, "print one JSON value")
	}
	do := c.prepare(flags, j)
	arguments, details := c.Arguments, c.Details
	var rest []string
	if p.State != "" {
		rest = []string{p.State}
		_, arguments, _ = strings.Cut(arguments, " ")
		details = strings.ReplaceAll(details, theState, "The state is that of the server.")
	}
	err := flags.Parse(args[1:])
	for ; err == nil && flags.NArg() > 0; err = flags.Parse(flags.Args()[1:]) {
		rest = append(rest, flags.Arg(0))
	}
	usage := strings.TrimSpace(fmt.Sprintf("usage: %s %s [flags] %s", p.Name, c.Name, arguments))
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "%s\n\n%s\n\n%s\n\n", usage, c.Purpose, details)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return ok
	case err != nil:
		err = usageError(err.Error())
	case len(rest) != len(strings.Fields(c.Arguments)):
		err = usageError("the number of arguments is wrong")
	default:
		status, err = do(ctx, rest)
	}
	if err == nil {
		return status
	}
	if _, misused := errors.AsType[usageError](err); misused {
		fmt.Fprintln(stderr, usage)
	}
	fmt.Fprintf(stderr, "%s %s: %v\n", p.Name, c.Name, err)
	return failed
}

// list prints the commands to stdout if the arguments ask for that, and to
// stderr otherwise.
func (p Program) list(args []string, stdout, stderr io.Writer) (status int) {
	to, status := stderr, failed
	if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		to, status = stdout, ok
	}
	fmt.Fprintf(to, "usage: %s COMMAND; run %[1]s COMMAND -h for its flags\n", p.Name)
	for _, c := range commands {
		fmt.Fprintf(to, "  %-6s  %s\n", c.Name, c.Purpose)
	}
	return status
}
