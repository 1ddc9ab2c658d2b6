package docs_test

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type payInput struct {
	Invoice string `json:"invoice"`
	Note    string `json:"note,omitzero"`
}

func Example_idempotency() {
	payments := 0
	pay := func(context.Context, payInput) (struct{}, error) {
		payments++
		return struct{}{}, nil
	}
	tool := contract.New("invoices.settle", pay).
		Description("Marks an invoice as paid.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("invoices:write").
		Idempotency(contract.Idempotency{
			Mode:      idempotency.Managed,
			KeyFields: []string{"invoice"},
			OnUnknown: idempotency.Refuse,
		}).
		MustBuild()

	c := callerOf(tool, anna("invoices:write"))
	for _, arguments := range []string{`{"invoice":"17"}`, `{"invoice":"17"}`, `{"invoice":"17","note":"late"}`} {
		outcome := c.result(arguments).Outcome
		fmt.Printf("%s %q\n", outcome.Status, outcome.Code)
	}
	fmt.Println("payments:", payments)
	// Output:
	// ok ""
	// replayed ""
	// error "idempotency_key_conflict"
	// payments: 1
}
