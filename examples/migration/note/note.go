// Package note has the typed form of add_note with its contract. The contract
// names no SDK, so both servers of the migration share it.
package note

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errNoSuchOrder = contract.Retryable("no_such_order", "There is no order with the id.")

type input struct {
	ID   string `json:"id"`
	Note string `json:"note" jsonschema:"minLength=1,maxLength=1000"`
}

type output struct {
	Notes int `json:"notes" jsonschema_description:"How many notes the order has now."`
}

// Adder returns the tool add_note. add adds a note to an order and returns how
// many notes the order has then; 0 means that there is no such order.
func Adder(add func(id, note string) int) (*contract.Tool, error) {
	return contract.New("add_note", func(_ context.Context, in input) (output, error) {
		notes := add(in.ID, in.Note)
		if notes == 0 {
			return output{}, errNoSuchOrder.At("/id").Hint("List the orders with list_orders.")
		}
		return output{Notes: notes}, nil
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
