package docs_test

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func Example_precheck() {
	open := map[string]bool{"17": true}
	settled := contract.Fatal("already_settled", "The invoice is settled.")
	check := func(_ context.Context, in payInput) error {
		if !open[in.Invoice] {
			return settled.Errorf("invoice %s is settled", in.Invoice)
		}
		return nil
	}
	pay := func(ctx context.Context, in payInput) (struct{}, error) {
		delete(open, in.Invoice)
		return struct{}{}, nil
	}
	tool := contract.New("invoices.settle", pay).
		Description("Pays an invoice.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("invoices:write").
		Failures(settled).
		Precheck(check). // before a person is asked
		MustBuild()

	c := callerOf(tool, anna("invoices:write"))
	fmt.Println(c.result(`{"invoice":"16"}`).Outcome.Code)
	fmt.Println(c.result(`{"invoice":"17"}`).Outcome.Code)
	// Output:
	// already_settled
	// confirmation_required
}
