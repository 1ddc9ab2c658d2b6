// Command replicas shows that a managed call runs at most once although several
// processes serve it, and that its caller learns what happened although they are
// killed.
//
// It starts three servers that share only a Redis or a PostgreSQL, and calls
// their one tool through a load balancer. The tool places orders at a warehouse,
// which doesn't deduplicate, but can be asked about a key and told to refuse it.
// Many calls run at once, and most are duplicates. Meanwhile the command kills
// one server after the other with SIGKILL, and starts it again: before an order
// arrives at the warehouse, after it was placed, or after the server's answer,
// which is lost. Then every caller asks again, by repeating its call.
//
// This process is also the warehouse. It compares every answer with the orders
// that were placed, and prints the result.
//
//	go run ./examples/replicas                      starts and ends redis-server
//	go run ./examples/replicas -store redis://127.0.0.1:6379/0
//	go run ./examples/replicas -store postgres://replicas@127.0.0.1/replicas
//	go run ./examples/replicas -calls 3000 -json    prints one JSON object
//	go run ./examples/replicas -sdk official        servers on the official SDK
//
// The exit status is 1 if an order was placed twice, if a caller was told
// something untrue or nothing, or if the counts do not match. It is 2 if the run
// could not start: for a wrong command line, a store that does not answer, and
// if redis-server is not installed. All processes that the command started end
// with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

// deadline bounds the whole run.
const deadline = 5 * time.Minute

// The exit statuses.
const (
	exitBroken     = 1
	exitNotStarted = 2
)

func main() { os.Exit(run()) }

// run runs the process in its role. Without a role it drives the scenario; with
// one, that process started it as a server or to run a Redis.
func run() int {
	args := os.Args[1:]
	if r, ok := parseRole(args); ok {
		return r.run()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return drive(ctx, args, os.Stdout, os.Stderr)
}

// drive reads the command line, runs the scenario and prints the tally.
func drive(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("replicas", flag.ContinueOnError)
	flags.SetOutput(stderr)
	store := flags.String("store", "", "the `URL` of a Redis or of a PostgreSQL database (default: start and end redis-server)")
	calls := flags.Int("calls", 300, fmt.Sprintf("make `N` calls, at least %d, and place one order for every ten", minCalls))
	var sdk exampleserver.SDK
	sdk.Flag(flags)
	asJSON := flags.Bool("json", false, "print one JSON object")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitNotStarted
	case flags.NArg() > 0 || *calls < minCalls:
		flags.Usage()
		return exitNotStarted
	}
	a, err := runScenario(ctx, *store, sdk, *calls)
	if ctx.Err() != nil {
		err = ctx.Err() // it caused all other errors
	}
	if err != nil {
		fmt.Fprintf(stderr, "replicas: %v\n", err)
		if a == nil {
			return exitNotStarted
		}
		return exitBroken
	}
	write := a.writeText
	if *asJSON {
		write = a.writeJSON
	}
	if err := errors.Join(write(stdout), a.check()); err != nil {
		fmt.Fprintf(stderr, "replicas: %v\n", err)
		return exitBroken
	}
	return 0
}
