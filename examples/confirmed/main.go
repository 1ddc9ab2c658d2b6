// Command confirmed is a server with one tool that a person approves before
// each call. docs/quickstart.md explains it.
//
//	go run ./examples/confirmed              the client asks its user
//	go run ./examples/confirmed -approval    a page asks, if the client cannot
//	go run ./examples/confirmed -approval -state notes.db
package main

import (
	"context"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/trust"
)

type deleteIn struct {
	ID string `json:"id" jsonschema:"minLength=1" jsonschema_description:"The id of the note."`
}

type deleteOut struct {
	Deleted string `json:"deleted"`
}

func remove(_ context.Context, in deleteIn) (deleteOut, error) { return deleteOut{in.ID}, nil } // your code

var Delete = contract.New("notes.delete", remove).
	Title("Delete note").Description("Deletes a note for good.").Version("1.0.0").
	Effect(risk.Destructive). // critical, so a person is always asked
	Trust(trust.Trusted).Permissions("notes:delete").
	SideEffects(contract.SideEffect{
		Description: "The note is gone.", Reach: contract.Internal, Undo: contract.Irreversible,
		OnRepeat: "Nothing: it is gone already.",
	}).
	MustBuild()

func main() { os.Exit(server().Main(os.Args[1:], os.Stdout, os.Stderr)) }

func server() program.Server {
	return program.Server{
		Name: "notes", Version: "1.0.0", Approval: true,
		Tools:     func() ([]*contract.Tool, error) { return []*contract.Tool{Delete}, nil },
		OpenState: func(path string) (program.State, error) { return sqlitefile.Open(path) },
	}
}
