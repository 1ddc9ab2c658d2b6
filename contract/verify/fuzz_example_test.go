package verify_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/verify"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// readShelf is a tool of the examples.
func readShelf() *contract.Tool {
	return contract.New("shelf.read", func(_ context.Context, in shelfInput) (shelfOutput, error) { return near(in) }).
		Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("shelf:read").MustBuild()
}

// The function is the body of FuzzShelf(f *testing.F). It runs in every go
// test, and longer by go test -fuzz=FuzzShelf.
func ExampleFuzz() {
	fuzz := func(f *testing.F) {
		verify.Fuzz(f, []*contract.Tool{readShelf()}, verify.Case{Input: shelfInput{Place: 3}})
	}
	fmt.Printf("%T\n", fuzz)
	// Output: func(*testing.F)
}

// The invoice that one call creates is the argument of others, also after it
// was voided, and by callers of another tenant.
func ExampleResource() {
	invoices := verify.Resource{
		Name:    "invoice",
		Created: map[string]string{"invoices.create": "/number"},
		Used:    map[string]string{"invoices.get": "/invoice", "invoices.void": "/invoice"},
		Deleted: map[string]string{"invoices.void": "/invoice"},
	}
	fuzz := func(f *testing.F, tools []*contract.Tool) {
		verify.Fuzz(f, tools, verify.WithResource(invoices))
	}
	fmt.Printf("%T\n", fuzz)
	// Output: func(*testing.F, []*contract.Tool)
}

// A failure that Fuzz has found stays a test.
func ExampleReplay() {
	exampleTest(func(t testing.TB) {
		verify.Replay(t, []*contract.Tool{readShelf()}, []verify.Step{
			{Tool: "shelf.read", Input: `{"place":101}`},
		})
	})
	// Output:
}

func ExampleCheckIdempotency() {
	b := &bank{keys: map[string]int{}}
	pay := contract.New("orders.pay", func(_ context.Context, in payment) (receipt, error) { return b.pay(in), nil }).
		Description("Pays an order.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.LowRiskWrite).Permissions("orders:pay").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}}).MustBuild()
	exampleTest(func(t testing.TB) {
		verify.CheckIdempotency(t, pay,
			verify.Case{Input: payment{"o-1", 100}}, verify.Case{Input: payment{"o-2", 200}},
			verify.WithSetup(func(testing.TB) { b.empty() }), verify.WithEffects(b.count))
	})
	// Output:
}
