// Command tour shows what a contract does. It starts two servers in this
// process and prints the list of tools as three callers see it. Then it makes
// one call for each kind of outcome, and prints the caller's answer and the
// audit events.
//
//	go run ./examples/tour
//	go run ./examples/tour -list                lists the themes of the steps
//	go run ./examples/tour -only idempotency    makes the steps of one theme
//	go run ./examples/tour -json                prints one array of steps
//	go run ./examples/tour -sdk official        on the official SDK, instead of mcp-go
//
// The tour checks itself: the exit code is 1 if an outcome is not the expected
// one, and 2 for a wrong command line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

// deadline bounds the whole tour.
const deadline = time.Minute

// The exit codes.
const (
	exitBroken = 1
	exitUsage  = 2
)

func main() { os.Exit(show(os.Args[1:], os.Stdout, os.Stderr)) }

// show reads the command line and shows what it asks for.
func show(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print one JSON array of steps")
	only := flags.String("only", "", "make only the steps of the theme `NAME`")
	list := flags.Bool("list", false, "list the themes")
	var sdk exampleserver.SDK
	sdk.Flag(flags)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		err = errors.New("only flags are accepted; remove the other arguments")
	default:
		err = checkTheme(theme(*only))
	}
	if err != nil {
		fmt.Fprintf(stderr, "tour: %v\n", err)
		return exitUsage
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if *list {
		err = listThemes(stdout)
	} else {
		err = run(ctx, stdout, sdk, theme(*only), *asJSON)
	}
	if err != nil {
		fmt.Fprintf(stderr, "tour: %v\n", err)
		return exitBroken
	}
	return 0
}

// run runs the steps of a theme on an SDK, or all steps if the theme is empty,
// and prints their results, even if a step failed.
func run(ctx context.Context, w io.Writer, sdk exampleserver.SDK, only theme, asJSON bool) error {
	servers, err := open(ctx, sdk)
	if err != nil {
		return err
	}
	results, err := runSteps(ctx, servers, script(servers), only)
	if closing := servers.close(ctx); err == nil {
		err = closing
	}
	write := func(w io.Writer, all []stepResult) error { return printText(w, sdk, all) }
	if asJSON {
		write = printJSON
	}
	if writing := write(w, results); err == nil {
		err = writing
	}
	return err
}
