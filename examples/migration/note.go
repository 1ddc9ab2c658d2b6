package main

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/migration/desk"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errNoSuchOrder = contract.Retryable("no_such_order", "There is no order with the id.")

type noteInput struct {
	ID   string `json:"id"`
	Note string `json:"note" jsonschema:"minLength=1,maxLength=1000"`
}

type noteOutput struct {
	Notes int `json:"notes" jsonschema_description:"How many notes the order has now."`
}

// addNote is the typed form of desk.AddNote with its contract.
func addNote(d *desk.Desk) (*contract.Tool, error) {
	return contract.New("add_note", func(_ context.Context, in noteInput) (noteOutput, error) {
		notes := d.Note(in.ID, in.Note)
		if notes == 0 {
			return noteOutput{}, errNoSuchOrder.At("/id").Hint("List the orders with list_orders.")
		}
		return noteOutput{Notes: notes}, nil
	}).FlatName().
		Description("Adds a note to an order, for colleagues.").
		Version("1.0.0").
		Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).
		Permissions("orders:write").
		SideEffects(contract.SideEffect{
			Description: "Colleagues see the note.", Reach: contract.Internal, Undo: contract.Reversible, OnRepeat: "They see it twice.",
		}).
		Failures(errNoSuchOrder).
		Build()
}
