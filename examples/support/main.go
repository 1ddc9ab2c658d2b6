// Command support is an MCP server for a help desk. Its tools are dangerous
// together: one reads what strangers wrote, one reads private data, and one
// sends data out. It shows the clauses and the options that bound this.
//
//	go run ./examples/support                        over stdio, as you
//	go run ./examples/support -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
//	go run ./examples/support -freeze                tickets cannot be changed
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

func main() { os.Exit(run()) }

func run() int {
	desk := newDesk()
	var frozen bool
	return exampleserver.Server{
		Name: "support", Version: "1.0.0", Contracts: true,
		Tools: func() ([]*contract.Tool, error) { return desk.tools() },
		Flags: func(set *flag.FlagSet) {
			set.BoolVar(&frozen, "freeze", false, "deny every call that changes a ticket")
		},
		OpenBackend: func() (exampleserver.Backend, error) {
			options, err := options(frozen)
			return exampleserver.Backend{Options: options}, err
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}

var errFrozen = errors.New("tickets are frozen")

// options returns what the operator of the server decides for all tools.
func options(frozen bool) ([]guard.Option, error) {
	calls, err := store.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	return []guard.Option{
		// Without ConfirmAlways on pages.fetch the server would not start.
		guard.WithTrifectaConfirmation(),
		guard.WithIFCLabels(),
		guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
			if frozen && a.Contract.Effect.AtLeast(risk.LowRiskWrite) {
				return errFrozen
			}
			return nil
		}),
		guard.WithLimiter(calls), // replicas would share one in Redis
		guard.WithRateLimit(120, time.Minute),
		guard.WithRetryBudget(4, 10*time.Minute),
		// Closing a ticket twice is harmless, so an outage of the store must
		// not stop it.
		guard.WithStoreFailOpen(),
		// The importer of the old system does not have the permission yet.
		guard.WithAuditOnly("tickets.import", "permissions"),
		guard.WithTimes(guard.Times{QuestionTTL: 5 * time.Minute, DryRunTTL: 5 * time.Minute}),
	}, nil
}
