// Command outbox is an MCP server with one tool, which promises a mail. The
// mail is sent once, even if the process is killed at any time and the client
// repeats the call.
//
//	go run ./examples/outbox -db visits.db -provider http://127.0.0.1:8025/mails
//	go run ./examples/outbox -sdk official          on the official SDK
//
// The tool is atomic: the reminder, a job of River for its mail, and the record
// of the call are committed together. A worker sends the mail later. It also
// sends the key of the call, so that the provider recognizes a mail that it
// already has. All tables are in the file of -db.
package main

import (
	"flag"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/serve/program"
)

func main() { os.Exit(server(new(outbox)).Main(os.Args[1:], os.Stdout, os.Stderr)) }

// server returns the program. A real one verifies the tokens of its callers.
func server(o *outbox) program.Server {
	sdk := new(exampleserver.SDK)
	return program.Server{
		Name: "outbox", Version: "1.0.0", Tools: o.tools, Callers: exampleserver.Callers(o.tools), SDK: sdk,
		Flags: sdk.With(func(set *flag.FlagSet) {
			set.StringVar(&o.path, "db", "outbox.db", "keep everything in the SQLite database in `FILE`")
			set.StringVar(&o.path, "state", "outbox.db", "the same as -db `FILE`")
			set.StringVar(&o.provider, "provider", "http://127.0.0.1:8025/mails", "post each mail to the `URL` of a provider")
			set.DurationVar(&o.rescue, "rescue", time.Minute, "after this `TIME`, try a mail again that a killed process was sending")
		}),
		OpenBackend: o.open,
	}
}
