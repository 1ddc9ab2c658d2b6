// Command gateway puts three servers behind one endpoint with one guard:
//
//   - emails is examples/emails, whose tools have contracts. It serves over
//     stdio.
//   - weather is a server of the official Go SDK that knows nothing about
//     contracts, over HTTP. It is examples/gosdk/weather.
//   - notes declares its facts as the Python package mcp-tool-contract does,
//     over stdio.
//
// Run it in a clone of the repository:
//
//	go run ./examples/gateway         a story in three cycles, which ends by itself
//	go run ./examples/gateway -json   the facts of the cycles, as one array
//	go run ./examples/gateway -weather http://127.0.0.1:8080/mcp
//	go run ./examples/gateway -http 127.0.0.1:8081   the endpoint at /mcp and the page at /contracts, until a signal
//	go run ./examples/gateway -http 127.0.0.1:8081 -gateway
//
// Over HTTP the bearer token names the caller: alice, bob, or the person
// auditor. Someone who signs in on the page with the token auditor sees all
// tools, also those that agents cannot find. With -gateway the list has the
// annotation keys of mcp-tool-contract, for a gateway in front of this one.
//
// The exit status is 2 if the example could not start, for example because of a
// wrong command line or a server that does not answer, and 1 for a later
// failure.
//
// operator.json has the operator's decisions: one tool is forbidden, and the
// tools of weather get what their server does not declare. In the second cycle
// the notes server declares that notes_delete only reads. The tool is in
// quarantine until the operator decides and accepts the digest of the new
// definition, in the third cycle. The emails server is the operator's own, so
// its definitions need not be accepted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if r := os.Getenv(roleEnv); r != "" {
		return role(r).run()
	}
	set := flag.NewFlagSet("gateway", flag.ContinueOnError)
	set.SetOutput(stderr)
	asJSON := set.Bool("json", false, "print one JSON array with the facts of all cycles")
	weather := set.String("weather", "", "use the weather server at this `URL` instead of building one")
	address := set.String("http", "", "serve streamable HTTP at `HOST:PORT`/mcp and the page at /contracts, instead of the story")
	keys := set.Bool("gateway", false, "with -http, add the annotation keys of mcp-tool-contract to the list")
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case set.NArg() > 0:
		fmt.Fprintln(stderr, "gateway: only flags are accepted; remove the other arguments")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	task := func(behind *servers) (bool, error) { return printStory(ctx, behind, *asJSON, stdout) }
	if *address != "" {
		task = func(behind *servers) (bool, error) { return serveHTTP(ctx, *address, *keys, behind, stderr) }
	}
	began, err := withServers(ctx, *weather, task)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "gateway:", err)
	if began {
		return 1
	}
	return 2
}

// withServers runs a task while the servers run. The task reports whether it
// began.
func withServers(ctx context.Context, weather string, task func(*servers) (bool, error)) (began bool, err error) {
	behind, err := startServers(ctx, weather)
	if err != nil {
		return false, err
	}
	began, err = task(behind)
	return began, errors.Join(err, behind.close())
}

// printStory prints the story. It began if the first cycle ended.
func printStory(ctx context.Context, behind *servers, asJSON bool, stdout io.Writer) (began bool, err error) {
	s := &story{out: stdout}
	if asJSON {
		s.out = nil
	}
	if err := s.run(ctx, behind); err != nil || !asJSON {
		return len(s.rows) > 0, err
	}
	return true, json.NewEncoder(stdout).Encode(s.rows)
}
