// Command invoices is an MCP server over an SQLite database: customers,
// invoices, refunds and a report. Package ledger has the database, and package
// billing the contracts.
//
//	go run ./examples/invoices                        over stdio, as you
//	go run ./examples/invoices -db books.db           the books outlive the process
//	go run ./examples/invoices -http 127.0.0.1:8080   callers: Authorization: Bearer alice, alice-mfa
//	go run ./examples/invoices -approval              a person confirms on a page
//	go run ./examples/invoices -audit audit.jsonl
//	go run ./examples/invoices -sdk official          on the official SDK
//
// Sending an invoice and voiding one is confirmed by a person. A refund needs a
// recent authentication, which alice-mfa has.
//
// The file of -db also has the records of the calls. The guard commits a record
// together with the changes of its call. So a call that the client repeats
// changes the books once, also if the process was killed. Without -db all of it
// ends with the process.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/serve/program"
)

func main() { os.Exit(server().Main(os.Args[1:], os.Stdout, os.Stderr)) }

// server returns the program. A real one verifies the tokens of its callers.
func server() program.Server {
	path, state, desk, sdk := "", "", new(billing.Desk), new(exampleserver.SDK)
	callers := exampleserver.Callers(desk.Tools)
	return program.Server{
		Name: "invoices", Version: "1.0.0", Tools: desk.Tools,
		Callers: callers, SignIn: exampleserver.SignIn(callers), Approval: true,
		SDK: sdk,
		Flags: sdk.With(func(set *flag.FlagSet) {
			set.StringVar(&path, "db", "", "keep the books and the outcomes of calls in the SQLite database in `FILE`, which is created "+
				"if it does not exist (default: in memory)")
			set.StringVar(&state, "state", "", "the same as -db `FILE`: one file has the books and the outcomes")
			set.DurationVar(&desk.Pace, "pace", 250*time.Millisecond, "how long the report of revenue takes for each month")
		}),
		OpenBackend: func() (program.Backend, error) {
			backend, err := desk.Open(cmp.Or(path, state))
			if err != nil {
				return backend, fmt.Errorf("-db: %w", err)
			}
			if path != "" && state != "" && path != state {
				backend.Warnings = append(backend.Warnings, "-state is not used, because the file of -db has the outcomes of calls")
			}
			return backend, nil
		},
	}
}
