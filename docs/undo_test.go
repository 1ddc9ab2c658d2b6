package docs_test

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type slotInput struct {
	Slot string `json:"slot"`
	Note string `json:"note,omitzero"`
}

type visit struct {
	Number int `json:"number"`
}

func Example_undo() {
	visits, taken := 0, map[string]int{} // the number of the visit in a slot
	book := contract.New("visits.book", func(_ context.Context, in slotInput) (visit, error) {
		visits++
		taken[in.Slot] = visits
		return visit{visits}, nil
	}).
		Description("Books a visit.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("visits:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}}).
		ReplayWhile(func(_ context.Context, in slotInput, booked visit) (bool, error) {
			return taken[in.Slot] == booked.Number, nil
		}).
		MustBuild()
	cancel := contract.New("visits.cancel", func(ctx context.Context, in slotInput) (struct{}, error) {
		delete(taken, in.Slot)
		return struct{}{}, guard.Forget(ctx, "visits.book", map[string]any{"slot": in.Slot})
	}).
		Description("Cancels a visit.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("visits:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Native}).
		MustBuild()

	c := callerOf(book, anna("visits:write"), cancel)
	c.call(`{"slot":"9:00"}`)
	c.call(`{"slot":"9:00"}`)

	delete(taken, "9:00") // somebody else cancels by telephone
	c.call(`{"slot":"9:00"}`)

	c.other("visits.cancel").result(`{"slot":"9:00"}`)
	c.call(`{"slot":"9:00","note":"With a wheelchair."}`)
	// Output:
	// {"number":1}
	// {"number":1}
	// {"number":2}
	// {"number":3}
}
