package guard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type invoiceInput struct {
	Number string `json:"number"`
}

// owners has the customer of each invoice.
var owners = map[string]string{"2025-17": "anna", "2025-18": "ben"}

func theirOwn(_ context.Context, p contract.Principal, in invoiceInput) error {
	if owners[in.Number] != p.Subject {
		return errors.New("another customer's invoice, or none")
	}
	return nil
}

func readInvoice(ctx context.Context, in invoiceInput) (string, error) {
	p, _ := guard.PrincipalFrom(ctx)
	return "invoice " + in.Number + " of " + p.Subject, nil
}

// A customer reads only their own invoices. A handler finds its caller in the
// context.
func ExamplePrincipalFrom() {
	read := contract.New("invoices.read", readInvoice).
		Description("Reads an invoice.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Authorize(theirOwn).
		MustBuild()
	g, tools := protect(read, asAnna())
	defer g.Close(context.Background())

	for _, arguments := range []string{`{"number":"2025-17"}`, `{"number":"2025-18"}`} {
		fmt.Println(call(tools, "invoices.read", arguments).Text)
	}
	// Output:
	// invoice 2025-17 of anna
	// [FATAL] permission_denied: the caller may not make this call with these arguments, or they name something that does not exist
}
