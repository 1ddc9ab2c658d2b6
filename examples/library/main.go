// Command library is an MCP server for the desk of a public library: a
// catalogue, members, loans and holds in an SQLite file. Package desk has the
// contracts.
//
//	go run ./examples/library -state library.db          over stdio, as you
//	go run ./examples/library -state library.db -http 127.0.0.1:8080
//	go run ./examples/library -state library.db -approval
//	go run ./examples/library -sdk official              on the official SDK
//
// The file also has the records of the calls. The guard commits a record
// together with its call's changes, so a repeated call changes the library only
// once, whichever session repeats it and whatever crashed before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/library/desk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func main() { os.Exit(server(new(desk.Desk)).Main(os.Args[1:], os.Stdout, os.Stderr)) }

func server(d *desk.Desk) program.Server {
	path, sdk := "", new(exampleserver.SDK)
	callers := exampleserver.Callers(d.Tools)
	return program.Server{
		Name: "library", Version: "1.0.0", Tools: d.Tools,
		Callers: callers, SignIn: exampleserver.SignIn(callers), Approval: true, SDK: sdk,
		Flags: sdk.With(func(set *flag.FlagSet) {
			set.StringVar(&path, "state", "", "keep the library and the outcomes of calls in the SQLite database in `FILE`, which is "+
				"created if it does not exist (default: until the process ends)")
		}),
		OpenBackend: func() (program.Backend, error) { return openBackend(d, path) },
	}
}

func openBackend(d *desk.Desk, path string) (program.Backend, error) {
	remove := func() error { return nil }
	if path == "" {
		folder, err := os.MkdirTemp("", "library-")
		if err != nil {
			return program.Backend{}, err
		}
		path = filepath.Join(folder, "library.db")
		remove = func() error { return os.RemoveAll(folder) }
	}
	file, err := sqlitefile.Open(path)
	if err != nil {
		return program.Backend{}, errors.Join(fmt.Errorf("-state: %w", err), remove())
	}
	if err := d.Open(context.Background(), file.DB()); err != nil {
		return program.Backend{}, errors.Join(err, file.Close(), remove())
	}
	b := program.Backend{Options: append(file.Options(), guard.WithNamespace("library")), Close: file.Close}
	return b.Closing(remove), nil
}
