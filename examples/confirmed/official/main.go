// Command official is examples/confirmed on the official SDK.
package main

import (
	"context"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	deleteIn struct {
		ID string `json:"id" jsonschema:"minLength=1" jsonschema_description:"The id of the note."`
	}
	deleteOut struct {
		Deleted string `json:"deleted"`
	}
)

func remove(_ context.Context, in deleteIn) (deleteOut, error) { return deleteOut{in.ID}, nil }

func tools() ([]*contract.Tool, error) {
	tool, err := contract.New("notes.delete", remove).Title("Delete note").Description("Deletes a note for good.").
		Version("1.0.0").Effect(risk.Destructive).Trust(trust.Trusted).Permissions("notes:delete").SideEffects(contract.SideEffect{
		Description: "The note is gone.", Reach: contract.Internal, Undo: contract.Irreversible,
		OnRepeat: "Nothing: it is gone already.",
	}).Build()
	return []*contract.Tool{tool}, err
}

func main() {
	open := func(path string) (program.State, error) { return sqlitefile.Open(path) }
	os.Exit(program.Server{Name: "notes", Version: "1.0.0", Approval: true, SDK: gosdk.SDK{}, Tools: tools, OpenState: open}.
		Main(os.Args[1:], os.Stdout, os.Stderr))
}
