// Command invoices is an MCP server over an SQLite database: customers,
// invoices, refunds and a report. Package ledger has the database, and package
// billing the contracts.
//
//	go run ./examples/invoices                        over stdio, as you
//	go run ./examples/invoices -db books.db           the books outlive the process
//	go run ./examples/invoices -http 127.0.0.1:8080   callers: Authorization: Bearer alice, alice-mfa
//	go run ./examples/invoices -store redis://127.0.0.1:6379/0
//	go run ./examples/invoices -db books.db -state state.db
//	go run ./examples/invoices -approval              a person confirms on a page
//	go run ./examples/invoices -audit audit.jsonl
//
// Sending an invoice and voiding one is confirmed by a person. A refund needs a
// recent authentication, which alice-mfa has. Without -db the books are in
// memory and end with the process.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/contract/serve/program"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/examplestore"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
)

func main() { os.Exit(server().Main(os.Args[1:], os.Stdout, os.Stderr)) }

// server returns the program. A real one verifies the tokens of its callers.
func server() program.Server {
	path, desk := "", new(billing.Desk)
	store := &examplestore.Store{Name: "invoices", KeyEnv: "INVOICES_SEALING_KEY"}
	callers := exampleserver.Callers(desk.Tools)
	return program.Server{
		Name: "invoices", Version: "1.0.0", Tools: desk.Tools,
		Callers: callers, SignIn: exampleserver.SignIn(callers), Approval: true, OpenState: exampleserver.OpenState,
		Flags: func(set *flag.FlagSet) {
			store.Flags(set)
			set.StringVar(&path, "db", "", "keep the books in the SQLite database in `FILE`, which is created if it does not "+
				"exist (default: in memory)")
			set.DurationVar(&desk.Pace, "pace", 250*time.Millisecond, "how long the report of revenue takes for each month")
		},
		OpenBackend: func() (program.Backend, error) {
			books, err := ledger.Open(path)
			if err != nil {
				return program.Backend{}, fmt.Errorf("-db: %w", err)
			}
			desk.Ledger = books
			backend, err := store.Open()
			if err != nil {
				return backend, errors.Join(err, books.Close())
			}
			return backend.Closing(books.Close), nil
		},
	}
}
