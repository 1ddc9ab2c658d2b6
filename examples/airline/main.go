// Command airline is an MCP server of an airline's service desk. Package desk
// has the database, and package counter the contracts, which carry the policy of
// the desk. Command replay takes recorded runs through them.
//
//	go run ./examples/airline -data DIR                        over stdio, as you
//	go run ./examples/airline -data DIR -http 127.0.0.1:8080   callers: Authorization: Bearer alice
//	go run ./examples/airline -data DIR -approval              a person confirms on a page
//	go run ./examples/airline -data DIR -sdk official          on the official SDK
//
// The folder of -data is a checkout of the benchmark tau-bench, or has its
// files. The clock stands at the time of the recorded runs. The database ends
// with the process.
package main

import (
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/airline/counter"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/serve/program"
)

func main() { os.Exit(server().Main(os.Args[1:], os.Stdout, os.Stderr)) }

func server() program.Server {
	folder, sdk, data := "", new(exampleserver.SDK), new(desk.Data)
	tools := func() ([]*contract.Tool, error) {
		return (&counter.Counter{Desk: desk.New(data), Now: counter.Opening}).Tools()
	}
	callers := exampleserver.Callers(tools)
	return program.Server{
		Name: "airline", Version: "1.0.0", Tools: tools, SDK: sdk,
		Callers: callers, SignIn: exampleserver.SignIn(callers), Approval: true,
		Flags: sdk.With(func(set *flag.FlagSet) {
			set.StringVar(&folder, "data", "", "the `FOLDER` with the database")
		}),
		OpenBackend: func() (program.Backend, error) {
			loaded, err := desk.Load(folder)
			if err == nil {
				*data = *loaded
			}
			return program.Backend{}, err
		},
	}
}
