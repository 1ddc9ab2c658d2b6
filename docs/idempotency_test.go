package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
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

type receipt struct {
	Payment string `json:"payment"`
}

// payments are what a bank knows, by key.
type payments map[string]string

func (p payments) find(_ context.Context, key string) (payment string, found bool, err error) {
	payment, found = p[key]
	return payment, found, nil
}

func Example_reconcile() {
	bank := payments{}
	ask := func(ctx context.Context, _ payInput, _ time.Time) (contract.Reconciled[receipt], error) {
		key, _ := guard.IdempotencyKey(ctx)
		payment, found, err := bank.find(ctx, key)
		switch {
		case err != nil:
			return contract.Reconciled[receipt]{}, err // not known
		case found:
			return contract.Happened(receipt{Payment: payment}), nil
		}
		return contract.DidNotHappen[receipt](), nil
	}
	pay := func(context.Context, payInput) (receipt, error) { return receipt{Payment: "p1"}, nil }
	tool := contract.New("invoices.pay", pay).
		Description("Pays an invoice.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("invoices:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"invoice"}}).
		Reconcile(ask, contract.Reconciling{Quiet: 30 * time.Second}).
		MustBuild()

	doc := tool.Document()
	fmt.Println(doc.Hints().Idempotent, doc.Summary().IdempotentForSeconds)
	for _, m := range doc.FailureModes {
		if m.Code == contract.CodeOutcomeUnknown {
			fmt.Println(m.Code, m.Class)
		}
	}
	// Output:
	// true 86400
	// outcome_unknown retryable
}
