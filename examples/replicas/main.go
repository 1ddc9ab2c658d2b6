// Command replicas shows that a managed call does not run twice where many
// processes serve it, and what is left when one of them is killed in the midst.
//
// It starts three servers of itself, which share nothing but a Redis, and calls
// their one tool through a round robin: duplicates of some orders, many at once.
// One server is killed (SIGKILL) after its handler had its effect and before the
// outcome was recorded: nobody knows then how that call ended, and its
// duplicates are told so instead of running it again. Every effect is counted
// where no server can forget it, in this process, and the account is printed.
//
//	go run ./examples/replicas                      starts redis-server, and ends it
//	go run ./examples/replicas -store redis://127.0.0.1:6379/0
//	go run ./examples/replicas -calls 3000 -json    one object
//
// It exits with 1 where an order was placed twice or a call is not accounted
// for, and with 2 for a wrong command line and where there is no redis-server.
// Whatever it started ends with it.
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
)

// deadline bounds the whole run.
const deadline = 5 * time.Minute

// The exit codes.
const (
	exitBroken = 1
	exitUsage  = 2
)

func main() { os.Exit(run()) }

// run is the process in any of its roles: the one that drives, or, where that
// one started it, a server or the keeper of a Redis.
func run() int {
	args := os.Args[1:]
	if r, ok := roleOf(args); ok {
		return r.play()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return drive(ctx, args, os.Stdout, os.Stderr)
}

// drive reads the command line, plays the scenario and prints the account.
func drive(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("replicas", flag.ContinueOnError)
	flags.SetOutput(stderr)
	store := flags.String("store", "", "the `URL` of a Redis (default: start redis-server, and end it)")
	calls := flags.Int("calls", 300, fmt.Sprintf("make `N` calls, at least %d; every tenth is another order", minCalls))
	asJSON := flags.Bool("json", false, "print one JSON object")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case flags.NArg() > 0 || *calls < minCalls:
		flags.Usage()
		return exitUsage
	}
	a, err := play(ctx, *store, *calls)
	if ctx.Err() != nil {
		err = ctx.Err() // what else went wrong came of it
	}
	if err != nil {
		fmt.Fprintf(stderr, "replicas: %v\n", err)
		if errors.Is(err, errNoRedis) {
			return exitUsage
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
